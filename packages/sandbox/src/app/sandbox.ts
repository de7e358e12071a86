// The composition root: one emulated provider, faults, control, pages and inboxes on one listener.
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { openBridge } from '../bridge/app/bridge.ts'
import { inbox } from '../inbox/inbox.ts'
import { answerUnknownPaths } from '../pages/pages.ts'
import { openDatabase } from '../state/database.ts'
import { control } from './control.ts'
import type { Emulation, Host, Settings } from './emulation.ts'
import { createFaults, installFaults } from './faults.ts'

const providers = { bridge: openBridge } as const satisfies Record<string, (host: Host) => Emulation>

type ProviderKind = keyof typeof providers

/** The providers that can be emulated. */
export const providerKinds = Object.keys(providers) as ProviderKind[]

export type SandboxOptions = Partial<Settings> & {
  /** The provider to emulate, by default Bridge. */
  provider?: ProviderKind
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
  const { provider = 'bridge', port = 0, host = '127.0.0.1', url, stateDirectory, now = Date.now, ...given } = options
  const database = stateDirectory === undefined ? null : openDatabase(stateDirectory)
  let publicOrigin = url ?? ''
  const origin = () => publicOrigin
  const emulation = providers[provider]({ database, settings: { ...defaults, ...given }, now, origin })
  const app = await createApp({ database, emulation, now, origin })
  try {
    await app.listen({ port, host })
  } catch (error) {
    database?.close()
    throw error
  }
  publicOrigin ||= listeningOrigin(host, app.server.address() as AddressInfo)
  emulation.start()

  return {
    url: publicOrigin,
    apiKey: given.apiKey ?? defaults.apiKey,
    close: async () => {
      emulation.stop()
      await app.close()
      database?.close()
    },
  }
}

type Parts = Pick<Host, 'database' | 'now' | 'origin'> & { emulation: Emulation }

const createApp = async ({ database, emulation, now, origin }: Parts): Promise<FastifyInstance> => {
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 1024 * 1024, schemaController: withoutSchemas })
  // Changes are stored before the response is sent, so a response never describes lost state after a crash.
  app.addHook('onSend', async (_request, _reply, payload) => {
    database?.commit()
    return payload
  })
  const faults = createFaults(emulation.refusals)
  installFaults(app, faults, emulation.unexpectedBody)
  await emulation.install(app)
  await app.register(control, { prefix: '/_sandbox', emulation, faults, origin })
  await app.register(inbox, { now })
  answerUnknownPaths(app, emulation.prefix)
  return app
}

const listeningOrigin = (host: string, { port }: AddressInfo): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
