// Paging of lists: reads the cursor and the time filter, and links to the next page.

import type { FastifyReply } from 'fastify'
import { fail } from '../../errors.ts'
import type { Page, PageKey, PageRequest, TimeRange } from '../../postgres/paging.ts'
import { isWritable } from '../../values/time.ts'
import { isoTime } from './schema.ts'

const version = 1
const idPattern = /^[A-Za-z0-9_-]{1,80}$/
const placePattern = /^[A-Za-z0-9_-]{1,2048}$/

export function encodeCursor(key: PageKey): string {
  const parts = [version, key.at.getTime(), key.id, ...(key.place === undefined ? [] : [key.place])]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** @throws ApiError `invalid_cursor` */
export function decodeCursor(cursor: string): PageKey {
  const parts = jsonOf(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (!Array.isArray(parts) || parts.length < 3 || parts.length > 4) throw fail('invalid_cursor', { param: 'cursor' })
  const [given, millis, id, place]: unknown[] = parts
  const at = new Date(typeof millis === 'number' ? millis : Number.NaN)
  if (given !== version || !isWritable(at) || typeof id !== 'string' || !idPattern.test(id))
    throw fail('invalid_cursor', { param: 'cursor' })
  if (place === undefined) return { at, id }
  if (typeof place !== 'string' || !placePattern.test(place)) throw fail('invalid_cursor', { param: 'cursor' })
  return { at, id, place }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export type ListQuery = { limit: number; cursor?: string; createdAfter?: string; createdBefore?: string }

/**
 * Reads the page that the query of a list requests.
 * @throws ApiError `invalid_cursor`
 */
export function pageRequestOf({ limit, cursor }: ListQuery): PageRequest {
  return { limit, after: cursor === undefined ? null : decodeCursor(cursor) }
}

/**
 * Announces the next page: `Link: <…>; rel="next"` with the URL of this request, filters included, and another cursor.
 * @param member of the query that takes the cursor
 */
export function linkNext(reply: FastifyReply, member: 'cursor' | 'after', cursor: string): void {
  const [path = '/', search = ''] = reply.request.url.split('?', 2)
  const query = new URLSearchParams(search)
  query.set(member, cursor)
  reply.header('link', `<${reply.server.origin}${path}?${query}>; rel="next"`)
}

export const timeRange = { createdAfter: isoTime, createdBefore: isoTime }

/** Filters of a list: the query members except those of paging, with times as dates. */
export type Filter<Q> = Omit<Q, keyof ListQuery> & TimeRange

/**
 * Reads the filters of a list's query.
 * @throws ApiError `invalid_query` for a leap second, or a time before the year 1 or after 9999
 */
export function filterOf<Q extends Partial<ListQuery>>(query: Q): Filter<Q> {
  const { limit: _limit, cursor: _cursor, createdAfter, createdBefore, ...filters } = query
  return {
    ...filters,
    ...(createdAfter !== undefined && { createdAfter: timeOf('createdAfter', createdAfter) }),
    ...(createdBefore !== undefined && { createdBefore: timeOf('createdBefore', createdBefore) }),
  }
}

function timeOf(param: keyof typeof timeRange, text: string): Date {
  const time = new Date(text)
  if (isWritable(time)) return time
  const message = `${param} must be a time from the year 1 to 9999, without a leap second.`
  throw fail('invalid_query', { message, details: [{ param, code: 'invalid_value', message }] })
}

/** Converts each row of a page with the view of its subject. */
export function shown<R, V>({ items, next }: Page<R>, view: (row: R) => V): Page<V> {
  return { items: items.map(view), next }
}
