// The HTTP layer alone: the real server on a real listener, with routes of the test and, unless given, an unreachable
// database. Raw sockets show what a client library would hide.

import { connect } from 'node:net'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type AppOptions, createApp } from '../../src/app/http-server.ts'
import { routes as ourRoutes } from '../../src/app/routes.ts'
import type { Running } from '../../src/app/services.ts'
import { createDeps } from '../../src/main.ts'
import type { FixedLimits } from '../../src/platform/config.ts'
import type { App } from '../../src/platform/http/app.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import type { ConnectionOptions } from '../../src/platform/postgres/client.ts'
import { openDatabase } from '../../src/platform/postgres/db.ts'
import { parseConfig } from '../../src/platform/settings.ts'
import { type Answer, type CallOptions, request } from '../caller.ts'

export const adminSecret = 'operator-secret-of-the-edge-tests'

export type EdgeServer = {
  url: string
  port: number
  app: App
  deps: Running
  /** The log, one object per line. */
  log: Record<string, unknown>[]
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  /** Sends bytes as they are; resolves with everything that came back when the server closes, or after `quietMs` of silence. */
  raw(text: string | Buffer, quietMs?: number): Promise<string>
  /** Is done after the test, or the file, that has started it, where it was not done before: a test that fails comes to no `stop`. */
  stop(): Promise<void>
}

export type EdgeOptions = Pick<AppOptions, 'refusedBody' | 'docsFolder' | 'consoleFolder'> & {
  routes?: (app: App) => void
  env?: Record<string, string>
  limits?: Partial<FixedLimits>
  database?: ConnectionOptions
}

export async function edgeServer({
  routes,
  refusedBody,
  docsFolder = '/nowhere',
  consoleFolder,
  ...options
}: EdgeOptions = {}): Promise<EdgeServer> {
  const env = { PROVIDER_API_KEY: 'unused', ADMIN_SECRET: adminSecret, ...options.env }
  const config = { ...parseConfig(env, { deploymentSecret: 'd'.repeat(32), adminSecret }), ...options.limits }
  const log: Record<string, unknown>[] = []
  const target = options.database ?? { url: 'postgres://nobody@127.0.0.1:1/none' }
  const db = openDatabase(target, { poolMax: 3 })
  const deps = createDeps(
    config,
    createLog('debug', (line) => log.push(JSON.parse(line) as Record<string, unknown>)),
    db,
  )
  const app = await createApp(deps, {
    routes: [...(routes ? [routes] : []), ...ourRoutes],
    docsFolder,
    ...(consoleFolder !== undefined && { consoleFolder }),
    ...(refusedBody && { refusedBody }),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(app.listeningOrigin)
  let stopped: Promise<void> | null = null
  const stop = (): Promise<void> => {
    stopped ??= app
      .close()
      .then(() => deps.provider.close())
      .then(() => db.close())
    return stopped
  }
  after(stop)
  return {
    url: app.listeningOrigin,
    port: Number(port),
    app,
    deps,
    log,
    call: (method, path, body, extra) => request(method, `${app.listeningOrigin}${path}`, body, extra),
    raw: (text, quietMs = 1_000) => exchange(Number(port), text, quietMs),
    stop,
  }
}

/** One connection: sends, and collects until the other side closes or falls silent. */
async function exchange(port: number, text: string | Buffer, quietMs: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  let lastHeard = Date.now()
  let closed = false
  socket.on('data', (chunk) => {
    heard += chunk.toString('utf8')
    lastHeard = Date.now()
  })
  socket.on('close', () => {
    closed = true
  })
  // These tests look for a reset after the response in `heard`.
  socket.on('error', () => {})
  socket.write(text)
  while (!closed && Date.now() - lastHeard < quietMs) await delay(5)
  socket.destroy()
  return heard
}
