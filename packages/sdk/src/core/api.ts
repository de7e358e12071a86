// Operations by their name, with the types of what each takes and answers. Resources say it in a caller's words.

import { type OperationShapes, operations } from '../generated/operations.gen.ts'
import type { RequestOptions, WriteOptions } from './options.ts'
import { List } from './page.ts'
import type { Answer, Transport } from './request.ts'

export type OperationId = keyof OperationShapes

type Input<Id extends OperationId> = OperationShapes[Id]['input']
/** The JSON body that an operation takes. */
export type Body<Id extends OperationId> = NonNullable<Input<Id>['body']>
/** The query that an operation takes. */
export type Query<Id extends OperationId> = NonNullable<Input<Id>['query']>
/** What an operation answers with. */
export type Data<Id extends OperationId> = OperationShapes[Id]['answer'] extends { data: infer Answered }
  ? Answered
  : never
/** One entry of a list. */
export type Item<Id extends OperationId> = Data<Id> extends readonly (infer Entry)[] ? Entry : never

/** What is sent: `path`, `query` and `body`, each where the operation has one. */
export type CallInput<Id extends OperationId> = Omit<Input<Id>, 'url'>

/** The ids of the operations whose lists have pages. */
export type PagedOperationId = {
  [Id in OperationId]: (typeof operations)[Id]['paged'] extends true ? Id : never
}[OperationId]

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: unknown
}

export class Api {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Calls one operation. @returns the `data` of its answer */
  async call<Id extends OperationId>(id: Id, input: CallInput<Id>, options?: WriteOptions): Promise<Data<Id>> {
    return (await this.send(id, input, options)).data as Data<Id>
  }

  /** Calls an operation whose answer is a list with pages. Nothing is sent before the list is used. */
  list<Id extends PagedOperationId>(id: Id, input: CallInput<Id>, options?: RequestOptions): List<Item<Id>> {
    return new List(async (cursor) => {
      const { query } = input as AnyInput
      const page = cursor === undefined ? query : { ...query, cursor }
      const { data, nextCursor } = await this.send(id, { ...input, query: page } as CallInput<Id>, options)
      return { data: data as Item<Id>[], nextCursor }
    })
  }

  /** Reads a list as CSV, page after page. The names of the columns stand before the first page alone, so the pages make one file. */
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

  send<Id extends OperationId>(id: Id, input: CallInput<Id>, options?: WriteOptions, asCsv?: true): Promise<Answer> {
    const { method, path, keyed } = operations[id]
    const { path: params, query, body } = input as AnyInput
    return this.#transport.send({ method, path, keyed, params, query, body, asCsv }, options)
  }
}
