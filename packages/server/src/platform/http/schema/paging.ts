// Lists: an opaque cursor in, one page and the address of the next one out.

import type { FastifyReply } from 'fastify'
import { fail } from '../../errors.ts'
import { isWritable } from '../../values/time.ts'

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

/** From a query made by `listQuery`. @throws ApiError `invalid_cursor` */
export function pageRequestOf(query: { limit: number; cursor?: string }): { limit: number; after: PageKey | null } {
  return { limit: query.limit, after: query.cursor === undefined ? null : decodeCursor(query.cursor) }
}

/** The body of a page; the next one is announced by `Link: <…>; rel="next"`, with the filters of this request kept. */
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
