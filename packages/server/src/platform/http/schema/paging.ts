// Lists: an opaque cursor and a time filter in, one page and the address of the next one out.

import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { fail } from '../../errors.ts'
import { isWritable } from '../../values/time.ts'
import { isoTime } from './schema.ts'

/** Where a page starts: after this item, in list order. */
export type PageKey = { createdAt: Date; id: string }

const version = 1
const idPattern = /^[A-Za-z0-9_-]{1,80}$/

export function encodeCursor(key: PageKey): string {
  return Buffer.from(JSON.stringify([version, key.createdAt.getTime(), key.id])).toString('base64url')
}

/** @throws ApiError `invalid_cursor` */
export function decodeCursor(cursor: string): PageKey {
  const parts = jsonOf(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (!Array.isArray(parts) || parts.length !== 3) throw fail('invalid_cursor', { param: 'cursor' })
  const [given, millis, id]: unknown[] = parts
  const createdAt = new Date(typeof millis === 'number' ? millis : Number.NaN)
  if (given !== version || !isWritable(createdAt) || typeof id !== 'string' || !idPattern.test(id))
    throw fail('invalid_cursor', { param: 'cursor' })
  return { createdAt, id }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reads the page that a query asks for, made by `listQuery`.
 * @throws ApiError `invalid_cursor`
 */
export function pageRequestOf(query: { limit: number; cursor?: string }): { limit: number; after: PageKey | null } {
  return { limit: query.limit, after: query.cursor === undefined ? null : decodeCursor(query.cursor) }
}

/** Makes the body of a page. `Link: <…>; rel="next"` announces the next page, with the filters of this request. */
export function sendPage<T>(reply: FastifyReply, page: { items: T[]; next: PageKey | null }): { data: T[] } {
  if (page.next) reply.header('link', `<${nextAddress(reply, encodeCursor(page.next))}>; rel="next"`)
  return { data: page.items }
}

function nextAddress(reply: FastifyReply, cursor: string): string {
  const { request } = reply
  const [path = '/', search = ''] = request.url.split('?', 2)
  const query = new URLSearchParams(search)
  query.set('cursor', cursor)
  return `${reply.server.origin}${path}?${query}`
}

export const timeRange = { createdAfter: Type.Optional(isoTime), createdBefore: Type.Optional(isoTime) }

/**
 * Reads the time filter of a list.
 * @throws ApiError `invalid_query` for a leap second, or a time before the year 1 or after 9999
 */
export function timeRangeOf(query: { createdAfter?: string; createdBefore?: string }): {
  createdAfter?: Date
  createdBefore?: Date
} {
  return {
    ...(query.createdAfter === undefined ? {} : { createdAfter: timeOf('createdAfter', query.createdAfter) }),
    ...(query.createdBefore === undefined ? {} : { createdBefore: timeOf('createdBefore', query.createdBefore) }),
  }
}

type ListQuery = { limit: number; cursor?: string; createdAfter?: string; createdBefore?: string }

/**
 * Reads the filters of a list's query: all of its members but those that make the page, with times as dates.
 * @throws ApiError `invalid_query`, as `timeRangeOf`
 */
export function filterOf<Q extends ListQuery>(
  query: Q,
): Omit<Q, keyof ListQuery> & { createdAfter?: Date; createdBefore?: Date } {
  const { limit: _limit, cursor: _cursor, createdAfter: _after, createdBefore: _before, ...filters } = query
  return { ...filters, ...timeRangeOf(query) }
}

function timeOf(param: keyof typeof timeRange, text: string): Date {
  const time = new Date(text)
  if (isWritable(time)) return time
  const message = `${param} must be a time from the year 1 to 9999, without a leap second.`
  throw fail('invalid_query', { message, details: [{ param, code: 'invalid_value', message }] })
}
