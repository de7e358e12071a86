// Bridge's wire under /v0: the API key, idempotency keys, and the operations of every subject.
import type { FastifyInstance } from 'fastify'
import { installOperations, type Operation, type RunOperation, runOperation } from '../../platform/operations.ts'
import { customerOperations } from '../customers/routes.ts'
import { revealLinks } from '../customers/sessions.ts'
import { badHeader, unauthorized, unexpectedBody } from '../forms/errors.ts'
import { listOperations } from '../lists/lists.ts'
import { rfiOperations } from '../rfis/routes.ts'
import type { World } from '../state/world.ts'
import { virtualAccountOperations } from '../virtual-accounts/routes.ts'
import type { Delivery } from '../webhooks/delivery.ts'
import { webhookOperations } from '../webhooks/routes.ts'
import type { KeyPairs } from '../webhooks/signature.ts'
import { createIdempotency } from './idempotency.ts'

const keyBytesMax = 255

type Parts = { world: World; delivery: Delivery; keyPairs: KeyPairs }

export const wireOperations = ({ world, delivery, keyPairs }: Parts): Operation[] => [
  ...customerOperations(world),
  ...virtualAccountOperations(world),
  ...rfiOperations(world),
  ...webhookOperations(world, delivery, keyPairs),
  ...listOperations(),
]

export const wire = async (app: FastifyInstance, parts: Parts): Promise<void> => {
  const { world } = parts
  const idempotency = createIdempotency(world)

  app.addHook('onRequest', async (request) => {
    const key = request.headers['api-key']
    if (key === undefined) throw unauthorized('required')
    if (key !== world.settings.apiKey) throw unauthorized('invalid')
  })
  app.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? revealLinks(world, payload) : payload,
  )

  const run: RunOperation = (operation, request) => {
    const key = request.headers['idempotency-key']
    if (operation.method !== 'POST') {
      if (key !== undefined) throw badHeader('Idempotency-Key', 'Idempotency-Key is only accepted on POST')
      return runOperation(operation, request)
    }
    if (key === undefined && operation.isKeyOptional) return runOperation(operation, request)
    if (typeof key !== 'string' || key === '') throw badHeader('Idempotency-Key', 'Missing Idempotency-Key header')
    if (key.length > keyBytesMax) throw badHeader('Idempotency-Key', `must not be longer than ${keyBytesMax}`)
    const fingerprinted = { method: request.method, path: request.url, body: request.body }
    return idempotency.answerOnce(key, fingerprinted, () => runOperation(operation, request))
  }
  installOperations(app, wireOperations(parts), unexpectedBody, run)
}
