// `/metrics`: rendered at most once a second for all callers, compressed once, and protected by a token if one is set.

import { performance } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import type { Core } from '../../platform/core.ts'
import { fail } from '../../platform/errors.ts'
import type { App } from '../../platform/http/app.ts'
import { countGuess } from '../../platform/http/limits/guesses.ts'
import { acceptsGzip } from '../../platform/http/pages/accept.ts'
import { metrics, sharedMetrics } from '../../platform/observe/metrics.ts'
import { operatorCheck } from '../../platform/secrets/operator-secret.ts'
import { createMeasurements } from './measurements.ts'

/** Prometheus scrapes every 15 to 60 seconds. Rendering blocks the event loop for milliseconds. */
const freshMs = 1_000

type Page = { plain: Buffer; gzipped: Buffer }

const compress = promisify(gzip)

export function metricsRoute(app: App, deps: Core): void {
  const measure = createMeasurements(deps)
  const read = oncePerSecond(async () => {
    const [own] = await Promise.all([metrics.metrics(), measure()])
    const plain = Buffer.from(own + (await sharedMetrics.metrics()))
    return { plain, gzipped: await compress(plain) }
  })
  const turn = onePerTurn()
  const options = {
    config: { auth: 'none' },
    onRequest: tokenGuard(deps.config.metricsToken),
  } as const
  app.get('/metrics', options, async (request, reply) => {
    await turn()
    const { plain, gzipped } = await read()
    reply.type(metrics.contentType).header('vary', 'accept-encoding')
    if (!acceptsGzip(request.headers['accept-encoding'])) return plain
    reply.header('content-encoding', 'gzip')
    return gzipped
  })
}

/** Admits one caller per turn of the event loop, so that many concurrent scrapes do not delay other requests. */
function onePerTurn(): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return last
  }
}

function oncePerSecond(render: () => Promise<Page>): () => Promise<Page> {
  let page: Promise<Page> | null = null
  let renderedAtMs = Number.NEGATIVE_INFINITY
  return () => {
    // While a text is being rendered, all requests wait for it.
    if (page === null || performance.now() - renderedAtMs > freshMs) {
      renderedAtMs = Number.POSITIVE_INFINITY
      page = render().finally(() => {
        renderedAtMs = performance.now()
      })
      page.catch(() => {
        page = null
      })
    }
    return page
  }
}

/** @returns a hook that throws ApiError `metrics_token_invalid`, or `rate_limited` */
function tokenGuard(token: string | undefined): (request: FastifyRequest) => Promise<void> {
  if (token === undefined) return async () => {}
  const check = operatorCheck(token)
  return async (request) => {
    const [, given = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization?.trim() ?? '') ?? []
    if (!check(given)) await countGuess(request, fail('metrics_token_invalid'))
  }
}
