// The pull mode of the list of events: the stream read forward by a cursor that always leads on, with a wait for the next.

import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { fail } from '../platform/errors.ts'
import { linkNext } from '../platform/http/schema/paging.ts'
import type { PullRequest, PullResult } from './stream.ts'

/** Well below the 60 s after which load balancers usually drop a connection on which nothing moves. */
const waitSecondsMax = 30

export const pullQuery = {
  after: Type.String({
    minLength: 1,
    maxLength: 512,
    description:
      'Pull: read forward, oldest first, from behind this cursor, which the `Link` header gave out. `now`: from here on. With `wait` alone: from the oldest event that is kept.',
  }),
  wait: Type.Integer({
    minimum: 0,
    maximum: waitSecondsMax,
    description: 'Pull: seconds to wait for an event when there is none. Default: 0.',
  }),
}

type Query = { after?: string; wait?: number; limit: number } & Record<string, unknown>

export function isPull(query: Query): boolean {
  return query.after !== undefined || query.wait !== undefined
}

const ownMembers = new Set(['after', 'wait', 'limit'])

/**
 * Reads the query of a pull.
 * @param businessId whose stream it is: a cursor of another stream would skip events in silence
 * @throws ApiError `invalid_query`, `invalid_cursor`
 */
export function pullRequestOf(query: Query, businessId: string, reply: FastifyReply): PullRequest {
  const stray = Object.keys(query).find((name) => !ownMembers.has(name))
  if (stray !== undefined) {
    const message = `${stray} can not be combined with after or wait: the stream is read as a whole.`
    throw fail('invalid_query', { message, details: [{ param: stray, code: 'invalid_query', message }] })
  }
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const { after, wait = 0, limit } = query
  return { start: startOf(after, businessId), limit, waitMs: wait * 1_000, gone: gone.signal }
}

function startOf(after: string | undefined, businessId: string): PullRequest['start'] {
  if (after === undefined) return 'oldest'
  return after === 'now' ? 'newest' : decodePlace(after, businessId)
}

/**
 * Sends the events with the address to go on with, which is there even when no event came.
 * @throws ApiError `cursor_expired`, with the address behind the gap
 */
export function sendPulled(reply: FastifyReply, pulled: PullResult, businessId: string): PullResult['events'] {
  linkNext(reply, 'after', encodePlace(pulled.next, businessId))
  if (pulled.lost === 0) return pulled.events
  const message = `${pulled.lost} ${pulled.lost === 1 ? 'event' : 'events'} after this cursor are not kept any more.`
  throw fail('cursor_expired', { message })
}

const version = 's1'

/** Ids are random: their end tells one business's cursor from another's. */
function markOf(businessId: string): string {
  return businessId.slice(-8)
}

export function encodePlace(position: number, businessId: string): string {
  return Buffer.from(`${version}.${markOf(businessId)}.${position}`).toString('base64url')
}

/** @throws ApiError `invalid_cursor` */
export function decodePlace(cursor: string, businessId: string): number {
  const [given, mark, position = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('.')
  if (given !== version || mark !== markOf(businessId) || !/^\d{1,15}$/.test(position))
    throw fail('invalid_cursor', { param: 'after' })
  return Number(position)
}
