// The composition root: state, scheduler, delivery, faults, wire, control and pages on one listener.
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { applyDueDecision, applyDueRevocation } from '../customers/kyc.ts'
import { revealLinks } from '../customers/sessions.ts'
import { takeDueStep } from '../deposits/deposits.ts'
import { inbox } from '../inbox/inbox.ts'
import { answerUnknownPaths, pages } from '../pages/pages.ts'
import { createBehaviour } from '../state/behaviour.ts'
import { createClock } from '../state/clock.ts'
import { createScheduler } from '../state/scheduler.ts'
import { openState, type State } from '../state/state.ts'
import type { Settings, World } from '../state/world.ts'
import { createDelivery } from '../webhooks/delivery.ts'
import { createKeyPairs } from '../webhooks/signature.ts'
import { control } from './control.ts'
import { createFaults, installFaults } from './faults.ts'
import { wire } from './wire.ts'

export type SandboxOptions = Partial<Settings> & {
  /** 0, the default, picks a free port. */
  port?: number
  host?: string
  /** Public origin of links, by default the origin of the listener. */
  url?: string
  /** Directory of the stored state. Without it the state is in memory only. */
  stateDirectory?: string
  /** Returns the machine's time in unix milliseconds. */
  now?: () => number
}

export type Sandbox = {
  url: string
  apiKey: string
  close(): Promise<void>
}

/** The documented default key. */
const defaultApiKey = 'sk-test-00000000000000000000000000000000'

const compilerNotUsed = () => () => {
  throw new Error('a route has a schema, but the schema compilers are left out')
}
/** No route has a schema, so the start does not load the schema compilers. */
const withoutSchemas = { compilersFactory: { buildValidator: compilerNotUsed, buildSerializer: compilerNotUsed } }

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Growing waits, two days in total. */
const defaultRetryMs = [
  ...[1 * second, 5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute],
  ...[1 * hour, 2 * hour, 4 * hour, 8 * hour, 8 * hour, 10 * hour, 14 * hour + 17 * minute + 24 * second],
]

const defaults: Settings = {
  apiKey: defaultApiKey,
  kycDecisionMs: 2_000,
  depositStepMs: 400,
  webhookRetryMs: defaultRetryMs,
  webhookTimeoutMs: 10_000,
  strictAgreements: false,
  embedOrigins: 'loopback',
}

/**
 * Starts an emulated provider and waits until it listens.
 * @throws Error when the port or the state directory is in use
 */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const { port = 0, host = '127.0.0.1', url, stateDirectory = null, now = Date.now, ...given } = options
  const state = openState(stateDirectory)
  let origin = url ?? ''
  const parts = createParts(state, { ...defaults, ...given }, now, () => origin)
  const app = await createApp(parts, now)
  try {
    await app.listen({ port, host })
  } catch (error) {
    state.close()
    throw error
  }
  origin ||= listeningOrigin(host, app.server.address() as AddressInfo)

  const { world, scheduler, delivery, keyPairs } = parts
  scheduler.start({
    kyc_decision: (id) => applyDueDecision(world, id),
    endorsement_revocation: (id) => applyDueRevocation(world, id),
    deposit_step: (id) => takeDueStep(world, id),
    webhook_attempt: (id) => delivery.wakeOne(id),
  })
  delivery.wake()
  // The first start is followed by the registration of an endpoint. A later start rarely is.
  if (state.webhooks.all().length === 0) keyPairs.warmUp()

  return {
    url: origin,
    apiKey: world.settings.apiKey,
    close: async () => {
      scheduler.stop()
      delivery.close()
      await app.close()
      state.close()
    },
  }
}

type Parts = ReturnType<typeof createParts>

const createParts = (state: State, settings: Settings, now: () => number, origin: () => string) => {
  const clock = createClock(state.clock, now)
  const scheduler = createScheduler(state.tasks, clock)
  const world: World = {
    state,
    settings,
    clock,
    behaviour: createBehaviour(origin),
    now: clock.now,
    origin,
    schedule: scheduler.schedule,
    cancel: scheduler.cancel,
    advance: scheduler.advance,
    wakeDelivery: () => delivery.wake(),
  }
  const delivery = createDelivery(world, (json) => revealLinks(world, json))
  return { world, scheduler, delivery, faults: createFaults(), keyPairs: createKeyPairs() }
}

const createApp = async ({ world, delivery, faults, keyPairs }: Parts, now: () => number): Promise<FastifyInstance> => {
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 1024 * 1024, schemaController: withoutSchemas })
  // Changes are stored before the answer leaves, so what a client was told survives a crash.
  app.addHook('onSend', async (_request, _reply, payload) => {
    world.state.flush()
    return payload
  })
  installFaults(app, faults)
  await app.register(wire, { prefix: '/v0', world, delivery, keyPairs })
  await app.register(control, { prefix: '/_sandbox', world, delivery, faults })
  await app.register(pages, { world })
  await app.register(inbox, { now })
  answerUnknownPaths(app)
  return app
}

const listeningOrigin = (host: string, { port }: AddressInfo): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
