// `Idempotency-Key` on the writes of a business and the submission of an onboarding page. Reserved after validation,
// and stored or released before the response is sent. If the database does not respond, the key is released later.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Core } from '../../core.ts'
import { ApiError, fail } from '../../errors.ts'
import { underLease } from '../../postgres/leases.ts'
import { canonicalJson, type Json } from '../../values/json.ts'
import { type App, businessOf, coreOfRequest } from '../app.ts'
import { becomeError, errorText } from '../error-response.ts'
import type { HeldKey } from '../scope.ts'
import { LateReleases } from './late-releases.ts'
import { leaseOf, reserve, storeOrRelease } from './service.ts'

const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that this request holds until its response leaves. */
    idempotencyKey: { held: HeldKey; core: Core } | null
  }
}

/** Reserves and ends the `Idempotency-Key` of each write of a business, and of routes with `config.idempotent`. */
export function honourIdempotencyKeys(app: App): void {
  const lateReleases = new LateReleases()
  app.decorateRequest('idempotencyKey', null)
  app.addHook('onRoute', (route) => {
    const { auth, idempotent } = route.config ?? {}
    if (!idempotent && (auth !== 'business' || !writes.has(String(route.method)))) return
    route.preHandler = [begin, ...[route.preHandler ?? []].flat()]
    route.onSend = [endWith(lateReleases), ...[route.onSend ?? []].flat()]
  })
}

async function begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const key = keyOf(request)
  if (key === null) return
  const [path = ''] = request.url.split('?', 1)
  const content = canonicalJson([(request.body ?? null) as Json, (request.query ?? null) as Json]) // parsed from JSON
  const core = coreOfRequest(request)
  const { auth, createsCustomer = false } = request.routeOptions.config
  const { id: businessId, sessionId } = businessOf(request)
  // All onboarding pages of a business share one path.
  const operation = auth === 'page' ? `${request.method} ${path} ${sessionId}` : `${request.method} ${path}`
  const held = { businessId, operation, key }
  const reserved = await reserve(core, held, { content, createsCustomer })
  if ('stored' in reserved) {
    const { stored } = reserved
    return reply
      .code(stored.status)
      .headers({ 'idempotent-replayed': 'true', 'content-type': 'application/json; charset=utf-8' })
      .serializer((text: unknown) => String(text))
      .send(stored.body)
  }
  const textOf = (data: unknown) => String(reply.serializeInput({ data }, '200'))
  const textOfError = (error: ApiError) => errorText(error, request)
  const heldKey = { ...held, ...reserved, textOf, textOfError, storedText: null }
  request.idempotencyKey = { held: heldKey, core }
  request.core = underLease(core, leaseOf(heldKey))
}

const endWith =
  (lateReleases: LateReleases) =>
  async <T>(request: FastifyRequest, reply: FastifyReply, payload: T): Promise<T | string> => {
    if (request.idempotencyKey === null) return payload
    const { held, core } = request.idempotencyKey
    request.idempotencyKey = null
    const { errorCode } = request
    const body = typeof payload === 'string' ? payload : ''
    const end = () => storeOrRelease(core, held, { status: reply.statusCode, body, errorCode })
    const tellFailure = (err: unknown) =>
      request.log.error({ requestId: request.id, err }, 'idempotent response not stored')
    // The caller has already waited for the database once, so respond now and release the key later.
    if (errorCode === 'database_unavailable') lateReleases.add(end, tellFailure)
    else {
      try {
        await end()
      } catch (error) {
        if (error instanceof ApiError) return becomeError(error, request, reply)
        // The work is done and its response is sent. A retry gets `idempotency_in_progress` until the lease expires.
        tellFailure(error)
      }
    }
    return payload
  }

function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key === 'string' && /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) return key
  const message = 'Idempotency-Key must have 1 to 255 printable ASCII characters.'
  throw fail('invalid_header', { message, details: [{ param: 'Idempotency-Key', code: 'invalid_header', message }] })
}
