// Owns serving of the style sheets, scripts and the mark: a fixed list of own files, read once, with an ETag.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Serves `files` of `directory` as `/assets/<file>`. There is no path of the caller's to escape from. */
export const serveAssets = (app: FastifyInstance, directory: string, files: readonly string[]): void => {
  for (const file of files) {
    const content = readFileSync(join(directory, file))
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
    app.get(`/assets/${file}`, (request, reply) => {
      reply.headers({
        etag,
        'content-type': mediaTypes[extname(file)] ?? 'application/octet-stream',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      })
      return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(content)
    })
  }
}
