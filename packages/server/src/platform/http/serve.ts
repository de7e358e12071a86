// Serves declared operations: authentication, validation, and the function that responds.

import type { FastifyContextConfig, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import type { Core, ServerCore } from '../core.ts'
import type { Page } from '../postgres/paging.ts'
import { type App, coreOfRequest, operatorOf, scopeOf } from './app.ts'
import type { Caller } from './caller.ts'
import { csvMediaType, csvOf } from './csv.ts'
import { announcing, deprecationText } from './deprecation.ts'
import type { Operation } from './operation.ts'
import { prefersCsv } from './pages/accept.ts'
import { encodeCursor, filterOf, type ListQuery, linkNext, pageRequestOf } from './schema/paging.ts'
import { anyId, closed, dataOf, externalUserId, listOf, listQuery } from './schema/schema.ts'
import type { RequestScope } from './scope.ts'

/** Errors of a provider call other than a rejection by the provider. */
export const awayErrors = ['provider_response_unreadable', 'provider_unavailable', 'provider_timeout'] as const

/** Errors of a write at the provider. */
export const upstreamErrors = ['provider_rejected', ...awayErrors] as const

/** Creates the dependencies of a subject: for one request of a business or page, or for the operator and the public. */
export type Hand<Deps, C extends Caller> = C extends 'business' | 'page'
  ? (core: Core, scope: RequestScope) => Deps
  : (core: ServerCore, scope: null) => Deps

/** @param core of the process, for operations outside one business */
export function serve<Deps, C extends Caller>(
  app: App,
  core: ServerCore,
  operations: readonly Operation<Deps, C>[],
  hand: Hand<Deps, C>,
): void {
  for (const operation of operations as readonly Operation[])
    if (operation.when?.(core.config) ?? true) app.route(routeOf(operation, givenBy(operation, core, hand as never)))
}

type Responds = (request: FastifyRequest, reply: FastifyReply) => Promise<{ data: unknown } | string>

type Giving = (request: FastifyRequest) => object

function givenBy({ caller }: Operation, core: ServerCore, hand: Hand<unknown, 'business' | 'operator'>): Giving {
  if (caller === 'operator') return (request) => ({ deps: hand(core, null as never), actor: operatorOf(request) })
  if (caller === 'none') return () => ({ deps: hand(core, null as never) })
  return (request) => {
    const scope = scopeOf(request)
    return { deps: hand(coreOfRequest(request) as never, scope as never), scope }
  }
}

/** Builds the route of an operation. @param given omitted to only describe the route */
export function routeOf(operation: Operation, given: Giving = () => ({})) {
  const { address, caller, subject, onRequest, errors = [], kind, items, csv, deprecated } = operation
  const [method = '', url = ''] = address.split(' ')
  const query = kind === 'list' ? listQuery(operation.filters ?? {}, operation.required) : operation.query
  const data = kind === 'list' ? listOf(items as TSchema) : (operation.data as TSchema)
  const config: FastifyContextConfig = {
    auth: caller,
    ...(subject && { scope: `${subject}:${method === 'GET' ? 'read' : 'write'}` }),
    ...operation.config,
    ...(csv && { csv }),
    ...(operation.sensitive && { sensitive: true }),
    errors,
  }
  const schema: FastifySchema = { ...schemaOf(url, { ...operation, query }), response: { 200: dataOf(data) } }
  const handler = kind === 'list' ? listing(operation, given) : answering(operation, given)
  const hooks = { ...(onRequest && { onRequest }), ...(deprecated && { onSend: announcing(address, deprecated) }) }
  return { method, url, config, ...hooks, schema, handler }
}

function schemaOf(
  url: string,
  told: Pick<Operation, 'id' | 'summary' | 'description' | 'deprecated' | 'tag' | 'body'> & {
    query: TSchema | undefined
  },
): FastifySchema {
  const { id, summary, deprecated, tag, body, query } = told
  const description = [told.description, deprecated && deprecationText(deprecated)].filter(Boolean).join('\n\n')
  const params = paramsOf(url)
  return {
    operationId: id,
    summary,
    ...(description && { description }),
    ...(deprecated && { deprecated: true }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    tags: [tag],
  }
}

function paramsOf(url: string) {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  if (names.length === 0) return undefined
  return closed(Object.fromEntries(names.map((name) => [name, name === 'externalUserId' ? externalUserId : anyId])))
}

// The casts are safe: the validator has checked path, query and body against the declared schemas.
const answering =
  ({ run }: Operation, given: Giving): Responds =>
  async (request, reply) => {
    const { params, body, query } = request
    return { data: await run({ ...given(request), request, reply, params, body, query } as never) }
  }

/** Responds with a page of a list, and names the next page in a `Link` header. */
const listing =
  ({ run, csv }: Operation, given: Giving): Responds =>
  async (request, reply) => {
    const query = request.query as ListQuery
    const input = { params: request.params, page: pageRequestOf(query), filter: filterOf(query) }
    const { items, next } = (await run({ ...given(request), request, reply, ...input } as never)) as Page<never>
    if (next) linkNext(reply, 'cursor', encodeCursor(next))
    if (!csv || !prefersCsv(request.headers.accept)) return { data: items }
    reply.type(csvMediaType)
    return csvOf(csv, items)
  }
