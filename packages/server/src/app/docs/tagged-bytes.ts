// Documents that change with a release only: made and compressed when first asked for, sent again only when the reader has
// another version. A start need not wait for it.

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type TaggedBytes = { plain: Buffer; gzipped: Buffer; etag: string; type: string }

const compress = promisify(gzip)

export function taggedOnce(make: () => Buffer | string, type: string): () => Promise<TaggedBytes> {
  let made: Promise<TaggedBytes> | undefined
  return () => {
    made ??= taggedBytes(Buffer.from(make()), type)
    return made
  }
}

async function taggedBytes(plain: Buffer, type: string): Promise<TaggedBytes> {
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`
  return { plain, gzipped: await compress(plain), etag, type }
}

/** Returns what the handler returns: the bytes, or the answer itself where it is 304. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, document: TaggedBytes): Buffer | FastifyReply {
  reply.headers({ etag: document.etag, 'cache-control': 'no-cache', vary: 'accept-encoding' }).type(document.type)
  if (hasVersion(request.headers['if-none-match'], document.etag)) return reply.code(304).send()
  const asGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(request.headers['accept-encoding'] ?? ''))
  if (!asGzip) return document.plain
  reply.header('content-encoding', 'gzip')
  return document.gzipped
}

function hasVersion(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags !== undefined && (tags.includes(etag) || tags.includes('*'))
}
