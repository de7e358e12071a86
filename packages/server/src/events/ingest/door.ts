// Decides who may send the body of a provider event: the header is checked before a byte of the body is read, and an address with
// too many refused events gets 429. Correctly signed events always pass: the provider may share its address with others, for
// example if TRUST_PROXY does not name the proxy.

import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import { ApiError, fail } from '../../platform/errors.ts'
import { providerEventBytesWhileRefused as bytesWhileRefused } from '../../platform/http/limits.ts'
import { type ChecksHeaders, requireFreshHeader } from './ingest.ts'

const refusals: ReadonlySet<string> = new Set([
  'webhook_signature_missing',
  'webhook_signature_invalid',
  'webhook_signature_stale',
])

declare module 'fastify' {
  interface FastifyInstance {
    eventDoor: ReturnType<typeof createDoor>
  }
}

export function createDoor(deps: ChecksHeaders) {
  /** By address, of which there are at most 65,536 (`addressKeys`): until when large bodies are rejected. */
  const limitedUntilMs = new Map<string, number>()

  /** @throws `rate_limited` instead of the rejection, if the address was rejected too often; else the error */
  const count = async (request: FastifyRequest, error: unknown): Promise<never> => {
    if (!(error instanceof ApiError) || !refusals.has(error.code)) throw error
    const { failedAuth, addressKey } = request.server.rateLimits
    const address = addressKey(request.ip)
    // Separate from the counter of wrong keys: a caller who guesses keys from an address must not limit the provider's events.
    const { allowed, resetSeconds } = await failedAuth.take(`provider-event:${address}`)
    if (allowed) throw error
    limitedUntilMs.set(address, performance.now() + resetSeconds * 1_000)
    throw fail('rate_limited', { retryAfterSeconds: resetSeconds })
  }

  const requireSmall = (request: FastifyRequest): void => {
    const bytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    if (limitedUntilMs.size === 0 || bytes <= bytesWhileRefused) return
    const address = request.server.rateLimits.addressKey(request.ip)
    const leftMs = (limitedUntilMs.get(address) ?? 0) - performance.now()
    if (leftMs > 0) throw fail('rate_limited', { retryAfterSeconds: Math.ceil(leftMs / 1_000) })
    limitedUntilMs.delete(address)
  }

  return {
    /** @throws ApiError `webhook_signature_missing`, `webhook_signature_invalid`, `webhook_signature_stale`, `rate_limited` */
    async admit(request: FastifyRequest): Promise<void> {
      try {
        requireFreshHeader(deps, request.headers)
      } catch (error) {
        await count(request, error)
      }
      requireSmall(request)
    },
    count,
  }
}
