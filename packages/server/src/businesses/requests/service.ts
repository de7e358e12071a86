// The request log of a business: records a request after its response, writes in batches, and lists. The log contains
// neither bodies nor queries, and from a path only Causeway IDs.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Core } from '../../platform/core.ts'
import { type App, requestIdHeader } from '../../platform/http/app.ts'
import type { Business } from '../../platform/http/caller.ts'
import { requestsUnlogged } from '../../platform/observe/metrics.ts'
import type { Page, PageRequest } from '../../platform/postgres/paging.ts'
import { makeRequestId, timeOfId } from '../../platform/values/ids.ts'
import { isoTime } from '../../platform/values/time.ts'
import type { RequestLogBuffer } from './buffer.ts'
import { explanationOf } from './explanation.rules.ts'
import * as store from './store.ts'

/** Records every request with a key of a business. Requests of its end-users' onboarding pages do not count. */
type NotesRequests = Core & { requestLog: RequestLogBuffer }

export function noteRequests(app: App, deps: NotesRequests): void {
  app.decorateRequest('createdId', null)
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    if (request.business && request.method === 'POST') request.createdId = idIn(payload)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { business, routeOptions } = request
    if (business && routeOptions.config.auth === 'business') deps.requestLog.add(rowOf(deps, business, request, reply))
    done()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The ID in the response of a POST, for the request log. */
    createdId: string | null
  }
}

/** Causeway IDs are random or count up. Anything else in a path may be the caller's mistake, and contain a name. */
const ownId = /^[a-z_]{2,16}_[0-9a-hjkmnp-tv-z]{26,32}$/

const idIn = (payload: unknown): string | null => {
  const { id } = ((payload as { data?: unknown } | null)?.data ?? {}) as { id?: unknown }
  return typeof id === 'string' && ownId.test(id) ? id : null
}

function rowOf(deps: Core, business: Business, request: FastifyRequest, reply: FastifyReply): store.RequestRow {
  const isCallersId = request.headers[requestIdHeader] === request.id
  const { externalUserId = null, ...named } = request.params as Readonly<Record<string, string>>
  return {
    id: isCallersId ? makeRequestId(deps.now() - reply.elapsedTime, deps.randomBytes(10)) : request.id,
    businessId: business.id,
    requestId: isCallersId ? request.id : null,
    credentialId: business.credentialId,
    sessionId: business.sessionId,
    method: request.method,
    path: request.routeOptions.url ?? '',
    objectId: Object.values(named).find((id) => ownId.test(id)) ?? request.createdId,
    externalUserId: externalUserId !== null && externalUserId.length <= externalUserIdMax ? externalUserId : null,
    status: reply.statusCode,
    errorCode: request.errorCode,
    durationMs: Math.round(reply.elapsedTime * 100) / 100,
    isReplay: reply.hasHeader('idempotent-replayed'),
  }
}

/** A longer one is not valid, and would make the buffer larger. */
const externalUserIdMax = 128

const batchMax = 500

/**
 * Stores the requests recorded so far. A refused batch is lost: a request log is not worth the memory of a long outage.
 * @throws ApiError `database_unavailable`
 */
export async function flushRequests({ db, requestLog }: Pick<NotesRequests, 'db' | 'requestLog'>): Promise<void> {
  const rows = requestLog.takeAll()
  while (rows.length > 0) {
    const batch = rows.splice(0, batchMax)
    try {
      await db.read((query) => store.insertRequests(query, batch))
    } catch (error) {
      requestsUnlogged.inc(batch.length + rows.length)
      throw error
    }
  }
}

export type RequestQuery = Omit<store.RequestFilter, 'statuses'> & { status?: string }

/** Lists the requests of a business, the newest first. */
export async function listRequests(
  deps: Core,
  business: Pick<Business, 'id'>,
  filter: RequestQuery,
  page: PageRequest,
) {
  const { status, ...rest } = filter
  const statuses = status === undefined ? {} : { statuses: statusesOf(status) }
  const found = await deps.db.read((query) => store.listRequests(query, business.id, { ...rest, ...statuses }, page))
  return { ...found, items: found.items.map(requestView) } satisfies Page<unknown>
}

/** Counts the errors of a business by code, each with its explanation. */
export async function listRequestErrors(
  deps: Core,
  business: Pick<Business, 'id'>,
  filter: Parameters<typeof store.countErrors>[2],
) {
  const found = await deps.db.read((query) => store.countErrors(query, business.id, filter))
  return found.map(({ error, count, lastId, lastRequestId }) => ({
    error,
    count,
    lastRequestId,
    lastAt: isoTime(timeOfId(lastId)),
    explanation: explanationOf(error),
  }))
}

/** @param status `404` or `4xx` */
function statusesOf(status: string): [from: number, to: number] {
  return [Number(status.replaceAll('x', '0')), Number(status.replaceAll('x', '9'))]
}

function requestView(row: store.RequestRow) {
  const {
    id,
    requestId,
    method,
    path,
    objectId,
    externalUserId,
    status,
    errorCode,
    durationMs,
    credentialId,
    sessionId,
  } = row
  return {
    requestId: requestId ?? id,
    createdAt: isoTime(timeOfId(id)),
    method,
    path,
    objectId,
    externalUserId,
    status,
    error: errorCode,
    explanation: errorCode === null ? null : explanationOf(errorCode),
    durationMs,
    credentialId,
    sessionId,
    idempotentReplay: row.isReplay,
  }
}
