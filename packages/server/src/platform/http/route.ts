// The one way to declare a route of the described API: who may call it, what comes in and goes out, and the function that answers.

import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestAsyncHookHandler,
} from 'fastify'
import type { Static, TProperties, TSchema } from 'typebox'
import type { ErrorCode } from '../errors.ts'
import type { Page, PageRequest } from '../postgres/paging.ts'
import { type App, businessOf, depsOf, type Handed, operatorOf, scopeOf } from './app.ts'
import type { Business, Scope } from './caller.ts'
import { type CsvColumns, csvMediaType, csvOf } from './csv.ts'
import { prefersCsv } from './pages/accept.ts'
import { encodeCursor, type Filter, filterOf, type ListQuery, linkNext, pageRequestOf } from './schema/paging.ts'
import { anyId, closed, dataOf, externalUserId, listOf, listQuery } from './schema/schema.ts'
import type { RequestScope } from './scope.ts'

/** How a call of the provider can fail that the provider does not reject. */
export const awayErrors = ['provider_response_unreadable', 'provider_unavailable', 'provider_timeout'] as const

/** How a write at the provider can fail. */
export const upstreamErrors = ['provider_rejected', ...awayErrors] as const

export type Address = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /v0/${string}`

type ParamsOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Record<Name, string> & ParamsOf<More>
    : Record<Rest, string>
  : unknown

export type Described = {
  id: string
  summary: string
  description?: string
  body?: TSchema
  query?: TSchema
  /** Those that do not follow from the kind of route: authentication, form of the input, rate, shutdown. */
  errors?: readonly ErrorCode[]
  config?: Omit<FastifyContextConfig, 'auth' | 'scope' | 'errors'>
  onRequest?: onRequestAsyncHookHandler
}

type Route<C, A extends Address, B extends TSchema, Q extends TSchema, D extends TSchema> = Described & {
  body?: B
  query?: Q
  /** The member `data` of every success. */
  data: D
  run: (call: C & Call<A, B, Q>) => Static<D> | Promise<Static<D>>
}

/** What the function of a route gets besides its caller: the input as the schemas have validated it. */
export type Call<A extends Address, B extends TSchema, Q extends TSchema> = {
  params: ParamsOf<A>
  body: Static<B>
  query: Static<Q>
  request: FastifyRequest
  reply: FastifyReply
}

type List<C, A extends Address, F extends TProperties, R extends TProperties, T extends TSchema> = Described & {
  /** What is listed. */
  items: T
  /** Members of the query besides those that make the page, all of them optional. */
  filters?: F
  /** Members of the query without which there is no list. */
  required?: R
  /** The same page for a caller who prefers `text/csv`. */
  csv?: CsvColumns<Static<T>>
  run: (call: C & ListCall<A, F, R>) => Promise<Page<Static<T>>>
}

export type ListCall<A extends Address, F extends TProperties, R extends TProperties> = {
  params: ParamsOf<A>
  page: PageRequest
  filter: Filter<Static<ReturnType<typeof listQuery<F, R>>>>
}

export type Subject = { [S in Scope]: S extends `${infer Name}:read` ? Name : never }[Scope]

/**
 * Declares routes for the API keys of businesses.
 * @param subject whose scope a key must have: `read` for a GET, else `write`; any key may call where it is left out
 */
export function businessRoutes(app: App, tag: string, subject?: Subject) {
  return declarations<{ deps: Handed; business: Business; scope: RequestScope }>(app, tag, {
    configOf: (method) => ({
      auth: 'business',
      ...(subject && { scope: `${subject}:${method === 'GET' ? 'read' : 'write'}` }),
    }),
    callerOf: (request) => ({ deps: depsOf(request), business: businessOf(request), scope: scopeOf(request) }),
  })
}

/** Declares routes for the operator secret. */
export function operatorRoutes(app: App) {
  return declarations(app, 'Operator', {
    configOf: () => ({ auth: 'operator' }),
    callerOf: (request) => ({ actor: operatorOf(request) }),
  })
}

/** Declares routes that anybody may call. */
export function publicRoutes(app: App, tag: string) {
  return declarations(app, tag, { configOf: () => ({ auth: 'none' }), callerOf: () => ({}) })
}

type Callers<C> = { configOf: (method: string) => FastifyContextConfig; callerOf: (request: FastifyRequest) => C }

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<{ data: unknown } | string>

function declarations<C>(app: App, tag: string, { configOf, callerOf }: Callers<C>) {
  function add(address: Address, described: Described, data: TSchema, answer: Answer): void {
    const [method = '', url = ''] = address.split(' ')
    const { config, errors = [], onRequest } = described
    const schema: FastifySchema = { ...schemaOf(url, described), tags: [tag], response: { 200: dataOf(data) } }
    app.route({
      method,
      url,
      config: { ...configOf(method), ...config, errors },
      ...(onRequest && { onRequest }),
      schema,
      handler: answer,
    })
  }

  // The casts are what the validator has made true: it holds path, query and body against the schemas that the types name.
  return {
    route<A extends Address, B extends TSchema, Q extends TSchema, D extends TSchema>(
      address: A,
      route: Route<C, A, B, Q, D>,
    ): void {
      add(address, route, route.data, async (request, reply) => {
        const { params, body, query } = request
        const call = { params, body, query, request, reply } as Call<A, B, Q>
        return { data: await route.run({ ...callerOf(request), ...call }) }
      })
    },

    /** Declares a list: its query names the page, and a `Link` header announces the next one. */
    list<
      A extends Address,
      T extends TSchema,
      F extends TProperties = Record<never, never>,
      R extends TProperties = Record<never, never>,
    >(address: A, list: List<C, A, F, R, T>): void {
      const query = listQuery(list.filters ?? {}, list.required)
      const config = { ...list.config, ...(list.csv && { csv: list.csv }) }
      add(address, { ...list, query, config }, listOf(list.items), async (request, reply) => {
        const given = request.query as ListQuery
        const page = { params: request.params, page: pageRequestOf(given), filter: filterOf(given) }
        const { items, next } = await list.run({ ...callerOf(request), ...(page as ListCall<A, F, R>) })
        if (next) linkNext(reply, 'cursor', encodeCursor(next))
        if (!list.csv || !prefersCsv(request.headers.accept)) return { data: items }
        reply.type(csvMediaType)
        return csvOf(list.csv, items)
      })
    },
  }
}

function schemaOf(url: string, { id, summary, description, body, query }: Described): FastifySchema {
  const params = paramsOf(url)
  return {
    operationId: id,
    summary,
    ...(description && { description }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
  }
}

function paramsOf(url: string) {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  if (names.length === 0) return undefined
  return closed(Object.fromEntries(names.map((name) => [name, name === 'externalUserId' ? externalUserId : anyId])))
}
