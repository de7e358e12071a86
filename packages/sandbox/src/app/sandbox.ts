// The composition root: state, scheduler, delivery, faults, wire, control and pages on one listener.
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { bank } from '../bank/bank.ts'
import { decideInTime, revokeInTime } from '../customers/kyc.ts'
import { stepInTime } from '../deposits/deposits.ts'
import { inbox } from '../inbox/inbox.ts'
import { createPageFlows } from '../pages/hosted-pages.ts'
import { pages } from '../pages/pages.ts'
import { answerUnknownPaths } from '../pages/unknown-path.ts'
import { createBehaviour } from '../state/behaviour.ts'
import { createClock } from '../state/clock.ts'
import { createScheduler } from '../state/scheduler.ts'
import { openState } from '../state/state.ts'
import type { Settings, World } from '../state/world.ts'
import { createDelivery } from '../webhooks/delivery.ts'
import { createKeyPairs } from '../webhooks/signature.ts'
import { control } from './control.ts'
import { createFaults, installFaults } from './faults.ts'
import { wire } from './wire.ts'

export type SandboxOptions = Partial<Settings> & {
  /** 0, the default, picks a free one. */
  port?: number
  host?: string
  /** Public origin used in links; the listening origin by default. */
  url?: string
  /** Directory of the state; memory only without it. */
  stateDirectory?: string
  /** The machine's time in unix milliseconds, which the sandbox's own time starts from. */
  now?: () => number
}

export type Sandbox = {
  url: string
  apiKey: string
  close(): Promise<void>
}

/** The documented key of a sandbox that was given none. */
const defaultApiKey = 'sk-test-00000000000000000000000000000000'

const notUsed = () => () => {
  throw new Error('a route has a schema: the compilers of schemas are left out')
}
/** No route has a schema, so a start need not read the compilers. */
const withoutSchemas = { compilersFactory: { buildValidator: notUsed, buildSerializer: notUsed } }

const minute = 60_000
const hour = 60 * minute

/** Growing, and two days in total. */
const defaultRetryMs = [
  1_000,
  5_000,
  30_000,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
  8 * hour,
  10 * hour,
  14 * hour + 17 * minute + 24_000,
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

/** Starts a provider and resolves when it listens. Rejects when the port is taken or the state is in use. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const { port = 0, host = '127.0.0.1', url, stateDirectory = null, now = Date.now, ...given } = options
  const settings: Settings = { ...defaults, ...given }
  const state = openState(stateDirectory)
  const clock = createClock(state.clock, now)
  const scheduler = createScheduler(state.tasks, clock)
  let origin = url ?? ''
  const world: World = {
    state,
    settings,
    clock,
    behaviour: createBehaviour(() => origin),
    now: clock.now,
    origin: () => origin,
    later: scheduler.schedule,
    notLater: scheduler.cancel,
    advance: scheduler.advance,
    wakeDelivery: () => delivery.wake(),
  }
  const delivery = createDelivery(world)
  const faults = createFaults()
  const keyPairs = createKeyPairs()
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 1024 * 1024, schemaController: withoutSchemas })

  // Nothing is answered before it is journaled: what a client was told survives a crash.
  app.addHook('onSend', async (_request, _reply, payload) => {
    state.flush()
    return payload
  })
  installFaults(app, faults)
  await app.register(wire, { prefix: '/v0', world, delivery, keyPairs })
  await app.register(control, { prefix: '/_sandbox', world, delivery, faults })
  await app.register(pages, {
    flows: createPageFlows(world),
    embedOrigins: settings.embedOrigins,
    ownOrigin: world.origin,
  })
  await app.register(bank, { world })
  await app.register(inbox, { now })
  answerUnknownPaths(app)
  try {
    await app.listen({ port, host })
  } catch (error) {
    state.close()
    throw error
  }
  origin ||= listeningOrigin(host, app.server.address() as AddressInfo)
  scheduler.start({
    kyc_decision: (id) => decideInTime(world, id),
    endorsement_revocation: (id) => revokeInTime(world, id),
    deposit_step: (id) => stepInTime(world, id),
    webhook_attempt: (id) => delivery.wakeOne(id),
  })
  delivery.wake()
  // A first start registers one next. One that is started again has most likely all it needs.
  if (state.webhooks.all().length === 0) keyPairs.warmUp()

  return {
    url: origin,
    apiKey: settings.apiKey,
    close: async () => {
      scheduler.stop()
      delivery.close()
      await app.close()
      state.close()
    },
  }
}

const listeningOrigin = (host: string, { port }: AddressInfo): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
