// An operation of the API, declared once, in the folder of its subject. The server serves it. The OpenAPI document, the
// docs, the samples, the SDK, the command line and the tests over all operations read it.

import type { FastifyContextConfig, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Static, TProperties, TSchema } from 'typebox'
import type { Config } from '../config.ts'
import type { Core, ServerCore } from '../core.ts'
import type { ErrorCode } from '../errors.ts'
import type { Page, PageRequest } from '../postgres/paging.ts'
import type { Actor, Caller, Scope } from './caller.ts'
import type { CsvColumns } from './csv.ts'
import type { Deprecation } from './deprecation.ts'
import type { Filter } from './schema/paging.ts'
import type { listQuery } from './schema/schema.ts'
import type { RequestScope } from './scope.ts'

export type Address = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${'v0' | 'onboard/api'}/${string}`
type GetAddress = Address & `GET ${string}`

export type ParamsOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Record<Name, string> & ParamsOf<More>
    : Record<Rest, string>
  : unknown

export type Subject = { [S in Scope]: S extends `${infer Name}:read` ? Name : never }[Scope]

/** Arguments that the function of an operation gets besides its input. */
type Given<Deps, C extends Caller> = { deps: Deps; request: FastifyRequest; reply: FastifyReply } & {
  business: { scope: RequestScope }
  page: { scope: RequestScope }
  operator: { actor: Actor }
  none: unknown
}[C]

/** The input after validation. */
type Input<A extends Address, B extends TSchema, Q extends TSchema> = {
  params: ParamsOf<A>
  body: Static<B>
  query: Static<Q>
}

type ListInput<A extends Address, F extends TProperties, R extends TProperties> = {
  params: ParamsOf<A>
  page: PageRequest
  filter: Filter<Static<ReturnType<typeof listQuery<F, R>>>>
}

/**
 * Placeholders for object IDs in an example. A recording, the test matrix and the fuzzer each fill in their own IDs.
 */
export type ExampleName =
  | 'externalUserId'
  | 'agreement'
  | 'account'
  | 'deposit'
  | 'informationRequest'
  | 'event'
  | 'delivery'
  | 'apiKey'
  | 'webhookEndpoint'
  | 'replay'
  | 'consoleLink'
  | 'staff'
  | 'onboardingLink'
  | 'customer'
  | 'issuer'
  | 'alertChannel'
  | 'day'
export type ExampleNames = Readonly<Record<ExampleName, string>>

const nounByWord: Readonly<Record<string, ExampleName>> = {
  'end-users': 'externalUserId',
  'virtual-accounts': 'account',
  deposits: 'deposit',
  'information-requests': 'informationRequest',
  events: 'event',
  deliveries: 'delivery',
  'api-keys': 'apiKey',
  'webhook-endpoints': 'webhookEndpoint',
  inboxes: 'webhookEndpoint',
  replays: 'replay',
  'console-links': 'consoleLink',
  staff: 'staff',
  'onboarding-links': 'onboardingLink',
  customers: 'customer',
  'alert-channels': 'alertChannel',
}

/**
 * Lists the objects named by the parameters of a path, in order.
 * @param path with parameters as `:id` or `{id}`
 * @throws Error for a word without a known object
 */
export function nounsOf(path: string): ExampleName[] {
  return [...path.matchAll(/([\w-]+)\/[:{]\w+/g)].map(([, word = '']) => {
    const noun = nounByWord[word]
    if (noun === undefined) throw new Error(`say in nounByWord what follows ${word}/ in a path`)
    return noun
  })
}

type Example = {
  query?: (names: ExampleNames) => Readonly<Record<string, string | number>>
  /** A body that the schema allows. The samples show it, and the tests over all operations send it. */
  body?: (names: ExampleNames) => unknown
}

/** Each member has at least two readers, or is required so that nobody forgets it. */
type Told = {
  /** The name everywhere: `operationId`, name of the test file, word in the logs. */
  id: string
  summary: string
  description?: string
  body?: TSchema
  query?: TSchema
  /** Errors that do not follow from the kind of operation (authentication, input validation, rate limit, shutdown). */
  errors?: readonly ErrorCode[]
  /** Call in the SDK: `at` is the ID in the path, further words are `query`, `body`, or members of these. */
  sdk?: string
  /** Name in the command line, where the path does not give a good one; null if there is no command. */
  command?: string | null
  config?: Omit<FastifyContextConfig, 'auth' | 'scope' | 'errors'>
  onRequest?: onRequestAsyncHookHandler
  /** Announced in the headers of each response and in the description. */
  deprecated?: Deprecation
  /** Condition for serving the operation. Omitted: always served. */
  when?: (config: Config) => boolean
  example?: Example
}

/** Further members that a write must declare. */
type Writes = {
  /** Audit log entries that it may write, or the reason why it writes none. */
  audit: readonly string[] | { none: string }
  /**
   * Staff in the console need a recent sign-in: the operation rotates or revokes a credential, moves money elsewhere, erases
   * an end-user, or sends a range of events again.
   */
  sensitive?: true
  /**
   * Whether an assistant may call it with `causeway mcp --write`. Omitted: it may not. `destroys`: the call cannot be
   * undone.
   */
  assistant?: 'may' | 'destroys'
}

type Answers<Deps, C extends Caller, A extends Address, B extends TSchema, Q extends TSchema, D extends TSchema> = {
  body?: B
  query?: Q
  /** Schema of `data` in the success response. */
  data: D
  run: (call: Given<Deps, C> & Input<A, B, Q>) => Static<D> | Promise<Static<D>>
}

type Lists<T extends TSchema, F extends TProperties, R extends TProperties> = {
  items: T
  /** Query members besides those of paging, all optional. */
  filters?: F
  /** Query members that the list requires. */
  required?: R
  /** The same page for a caller that prefers `text/csv`. */
  csv?: CsvColumns<Static<T>>
  /** Sets of filters without an index: for them, a page scans a bounded number of rows. */
  unindexed?: readonly (readonly (keyof F & string)[])[]
}

type ListedPage<T extends TSchema> = Promise<Page<Static<T>>>

type Call<Deps, C extends Caller> = [Deps] extends [never]
  ? never
  : Given<Deps, C> & Input<Address, TSchema, TSchema> & ListInput<Address, TProperties, TProperties>

/**
 * An operation after its types were checked by its declaration. @template Deps dependencies of its subject; omitted:
 * any
 */
export type Operation<Deps = never, C extends Caller = Caller> = Told &
  Partial<Writes> & {
    kind: 'read' | 'write' | 'list'
    address: Address
    tag: string
    caller: C
    /** Subject of the scope that the key needs: `read` for a GET, else `write`; null: any key may call. */
    subject: Subject | null
    /** For reads and writes; lists have `items` instead. */
    data?: TSchema
    items?: TSchema
    filters?: TProperties
    required?: TProperties
    csv?: CsvColumns<never>
    unindexed?: readonly (readonly string[])[]
    run: (call: Call<Deps, C>) => unknown
  }

/** Returns whether an operation is part of the described API. Operations of the onboarding page are not. */
export const isDescribed = ({ address }: Pick<Operation, 'address'>): boolean => address.includes(' /v0/')

/**
 * Declares operations for the API keys of businesses. @param subject of the scope that a key needs; null: any key may
 * call
 */
export const operationsOf = <Deps extends Core>(tag: string, subject: Subject | null) =>
  declaring<Deps, 'business'>({ caller: 'business', tag, subject })

/** Declares operations for the operator secret. */
export const operatorOperations = <Deps extends ServerCore>() =>
  declaring<Deps, 'operator'>({ caller: 'operator', tag: 'Operator', subject: null })

/** Declares operations without authentication. */
export const publicOperations = <Deps extends ServerCore>(tag: string) =>
  declaring<Deps, 'none'>({ caller: 'none', tag, subject: null })

/** Declares operations of the onboarding page, which are not part of the described API. */
export const pageOperations = <Deps extends Core>() =>
  declaring<Deps, 'page'>({ caller: 'page', tag: 'Onboarding page', subject: null })

function declaring<Deps, C extends Caller>(common: { caller: C; tag: string; subject: Subject | null }) {
  // The cast drops the types of input and output, which the declaration has checked.
  const declared = <O extends object>(kind: Operation['kind'], address: Address, operation: O) =>
    ({ ...operation, kind, address, ...common }) as unknown as Operation<Deps, C>
  return {
    read: <A extends GetAddress, B extends TSchema, Q extends TSchema, D extends TSchema>(
      address: A,
      operation: Told & Answers<Deps, C, A, B, Q, D>,
    ) => declared('read', address, operation),
    write: <A extends Address, B extends TSchema, Q extends TSchema, D extends TSchema>(
      address: A,
      operation: Told & Writes & Answers<Deps, C, A, B, Q, D>,
    ) => declared('write', address, operation),
    list: <
      A extends GetAddress,
      T extends TSchema,
      F extends TProperties = Record<never, never>,
      R extends TProperties = Record<never, never>,
    >(
      address: A,
      operation: Omit<Told, 'body' | 'query'> &
        Lists<T, F, R> & { run: (call: Given<Deps, C> & ListInput<A, F, R>) => ListedPage<T> },
    ) => declared('list', address, operation),
  }
}
