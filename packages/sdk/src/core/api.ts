// Operations by ID, with the types of their inputs and responses. Resources wrap them in methods.

import { type OperationShapes, operations } from '../generated/operations.gen.ts'
import type { RequestOptions, WriteOptions } from './options.ts'
import { List, type PageRequest } from './page.ts'
import type { Answer, Transport } from './request.ts'
import { ApiPromise } from './response.ts'

export type OperationId = keyof OperationShapes

/** An optional member can be undefined, also under `exactOptionalPropertyTypes`. Undefined members are not sent. */
type Given<Value> = Value extends readonly (infer Entry)[]
  ? readonly Given<Entry>[]
  : Value extends object
    ? { [Name in keyof Value]: Given<Value[Name]> | (object extends Pick<Value, Name> ? undefined : never) }
    : Value

type Input<Id extends OperationId> = Given<OperationShapes[Id]['input']>
/** The JSON body that an operation takes. */
export type Body<Id extends OperationId> = NonNullable<Input<Id>['body']>
/** The query that an operation takes. */
export type Query<Id extends OperationId> = NonNullable<Input<Id>['query']>
/** The `data` of an operation's response. */
export type Data<Id extends OperationId> = OperationShapes[Id]['answer'] extends { data: infer Answered }
  ? Answered
  : never
/** One entry of a list. */
export type Item<Id extends OperationId> = Data<Id> extends readonly (infer Entry)[] ? Entry : never

/** The input of an operation: `path`, `query` and `body`, if the operation has them. */
export type CallInput<Id extends OperationId> = Omit<Input<Id>, 'url'>

/** The ids of the operations whose lists have pages. */
export type PagedOperationId = {
  [Id in OperationId]: (typeof operations)[Id]['paged'] extends true ? Id : never
}[OperationId]

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: { readonly limit?: number }
  readonly body?: unknown
}

export class Api {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Calls one operation. @returns the `data` of its response */
  call<Id extends OperationId>(id: Id, input: CallInput<Id>, options?: WriteOptions): ApiPromise<Data<Id>> {
    const sent = this.send(id, input, options).then(({ nextCursor: _, ...answer }) => ({
      ...answer,
      data: answer.data as Data<Id>,
    }))
    return new ApiPromise(() => sent)
  }

  /** Calls a paginated list operation. Sends nothing before the list is read. */
  list<Id extends PagedOperationId>(id: Id, input: CallInput<Id>, options?: RequestOptions): List<Item<Id>> {
    const { query } = input as AnyInput
    return new List(async (page: PageRequest) => {
      const { cursor } = page
      // The caller's limit overrides the limit of the page. The cursor of a later page overrides the caller's cursor.
      const asked = { ...query, limit: query?.limit ?? page.limit, ...(cursor !== undefined && { cursor }) }
      const answer = await this.send(id, { ...input, query: asked } as CallInput<Id>, options)
      return { ...answer, data: answer.data as Item<Id>[] }
    })
  }

  /** Reads a list as CSV, page after page. Only the first page has the column names, so the pages form one file. */
  async *csv<Id extends PagedOperationId>(
    id: Id,
    input: CallInput<Id>,
    options?: RequestOptions,
  ): AsyncGenerator<string, void> {
    const { query } = input as AnyInput
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = cursor === undefined ? query : { ...query, cursor }
      const { data, nextCursor } = await this.send(id, { ...input, query: page } as CallInput<Id>, options, true)
      const text = String(data)
      yield cursor === undefined ? text : text.slice(text.indexOf('\r\n') + 2)
      cursor = nextCursor
    }
  }

  async send<Id extends OperationId>(
    id: Id,
    input: CallInput<Id>,
    options?: WriteOptions,
    asCsv?: true,
  ): Promise<Answer> {
    const { method, path, keyed } = operations[id]
    const { path: params, query, body } = input as AnyInput
    return await this.#transport.send({ method, path, keyed, params, query, body, asCsv }, options)
  }
}
