// What all abuses stand on: a durable PostgreSQL, the emulated provider, one server at its default limits, the receivers.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type SandboxProcess, startSandboxProcess } from '../../../cli/src/world/sandbox-process.ts'
import { issueApiKey } from '../../../server/src/businesses/api-keys.ts'
import { request } from '../../../server/test/caller.ts'
import { kycBody, solanaWallet } from '../../../server/test/people.ts'
import type { ServeProcess } from '../../../server/test/serve-process.ts'
import type { Arrival } from '../hostile/healthy-receiver.ts'
import { hostMs } from '../hostile/host-clock.ts'
import { type Deployment, openBusiness, openDeployment } from '../relay-world/deployment.ts'
import { startKillableDatabase } from '../rig/databases/embedded.ts'
import { type LineProcess, startLineProcess } from '../rig/line-process.ts'
import type { Attack, AttackerLine } from './attacker.ts'
import { lowerPriority } from './low-priority.ts'
import type { Window } from './verdict.ts'

export type Caller = { businessId: string; key: string }

export type Stage = AsyncDisposable & {
  deployment: Deployment
  server: ServeProcess
  arrivals: Arrival[]
  receiverUrl(path: string): string
  openCaller(externalUserIds: readonly string[]): Promise<Caller>
  call(caller: Caller, method: string, path: string, body?: unknown): Promise<Reply>
  /** An account of an end-user whose KYC is approved. @returns its id */
  openAccount(caller: Caller, externalUserId: string): Promise<string>
  /** Reads of the victim at a steady pace. */
  measureReads(caller: Caller, path: string, seconds: number): Promise<Omit<Window, 'attacks'>>
  /** Runs until it is disposed of. */
  startAttack(attack: Omit<Attack, 'baseUrl' | 'key'>, caller: Caller): Promise<AsyncDisposable & { count(): number }>
  /** Answers of 500 and above to anybody so far, the abuser included. */
  serverErrors(): number
  deadlocks(): Promise<number>
}

type Reply = { status: number; data: Record<string, string> }

const readsPerSecond = 40
const approvalMsMax = 20_000

export async function openStage(): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const arrivals: Arrival[] = []
  const startReceivers = async () =>
    opened.use(
      await startLineProcess<Arrival & { port: number }>(new URL('./receivers.ts', import.meta.url), [], (arrival) =>
        arrivals.push(arrival),
      ),
    )
  // A flood costs its sender processor time, too, which must not be the victim's receiver's.
  const [receivers, floods] = [await startReceivers(), await startReceivers()]
  const home = await mkdtemp(join(tmpdir(), 'causeway-abuse-'))
  opened.defer(() => rm(home, { recursive: true, force: true }))
  const database = opened.use(await startKillableDatabase())
  const emulator = await startSandboxProcess({ port: 0, args: ['--kyc-decision-ms', '100'] })
  opened.defer(() => emulator.stop())
  lowerPriority(emulator.pid) // it stands for the provider's own machines
  const deployment = opened.use(
    await openDeployment(database.connection, {
      PROVIDER_KIND: 'sandbox',
      PROVIDER_URL: `${emulator.url}/v0`,
      PROVIDER_API_KEY: emulator.apiKey,
      DATABASE_POOL_MAX: '20', // the default: the wait for a connection is a part of the abuse
      LOG_LEVEL: 'error',
    }),
  )
  const server = opened.use(await deployment.serve())
  const counts = { serverErrors: 0 }
  const held = opened.move()
  return {
    deployment,
    server,
    arrivals,
    receiverUrl: (path) => `http://127.0.0.1:${(path.startsWith('hints/') ? floods : receivers).ready.port}/${path}`,
    ...callersOf({ deployment, emulator, server, counts }),
    serverErrors: () => counts.serverErrors,
    deadlocks: async () => {
      const rows = await deployment.db.read(
        (query) => query<{ count: number }[]>`select sum(deadlocks)::int as count from pg_stat_database`,
      )
      return rows[0]?.count ?? 0
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

type Parts = {
  deployment: Deployment
  emulator: SandboxProcess
  server: ServeProcess
  counts: { serverErrors: number }
}

type Callers = Pick<Stage, 'openCaller' | 'call' | 'openAccount' | 'measureReads' | 'startAttack'>

function callersOf({ deployment, emulator, server, counts }: Parts): Callers {
  const noteStatus = (status: number): void => {
    if (status >= 500) counts.serverErrors += 1
  }
  const call: Stage['call'] = async ({ key }, method, path, body) => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await request(method, `${server.url}${path}`, body, { headers })
    noteStatus(answer.status)
    return { status: answer.status, data: answer.body?.data ?? {} }
  }
  const must: Stage['call'] = async (caller, method, path, body) => {
    const answer = await call(caller, method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path} was answered ${answer.status}`)
    return answer
  }
  return {
    call,
    openCaller: async (externalUserIds) => {
      const businessId = await openBusiness(deployment, externalUserIds)
      return { businessId, key: (await issueApiKey(deployment.deps, businessId, {})).key }
    },
    openAccount: async (caller, externalUserId) => {
      const user = `/v0/end-users/${externalUserId}`
      const { data: link } = await must(caller, 'POST', `${user}/tos-link`)
      const accepted = await request('POST', `${emulator.url}/_sandbox/terms/accept`, { link: link['tosLink'] })
      await must(caller, 'POST', `${user}/submit-kyc`, kycBody(accepted.body.signed_agreement_id, externalUserId))
      const deadline = hostMs() + approvalMsMax
      while ((await must(caller, 'GET', user)).data['kycStatus'] !== 'approved') {
        // Nobody told: the server is not registered at the emulator, so each look asks the provider by `kyc-links`.
        await must(caller, 'GET', `${user}/kyc-links`)
        if (hostMs() > deadline) throw new Error(`${externalUserId} was not approved`)
        await delay(50)
      }
      const account = { externalUserId, source: { currency: 'usd' }, destination: solanaWallet }
      return (await must(caller, 'POST', '/v0/virtual-accounts', account)).data['id'] ?? ''
    },
    measureReads: (...asked) => measureReads(call, ...asked),
    startAttack: (...asked) => startAttack(server, noteStatus, ...asked),
  }
}

async function measureReads(
  call: Stage['call'],
  ...[caller, path, seconds]: Parameters<Stage['measureReads']>
): ReturnType<Stage['measureReads']> {
  const startedMs = hostMs()
  const reads = Array.from({ length: seconds * readsPerSecond }, async (_, index) => {
    await delay(Math.max(0, startedMs + (index * 1_000) / readsPerSecond - hostMs()))
    const sentMs = hostMs()
    const { status } = await call(caller, 'GET', path).catch(() => ({ status: -1 }))
    return { status, tookMs: hostMs() - sentMs }
  })
  const results = await Promise.all(reads)
  const sorted = results.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const quantile = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? 0
  const missing = results.filter(({ status }) => status !== 200).length
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), samples: sorted.length, missing }
}

async function startAttack(
  server: ServeProcess,
  noteStatus: (status: number) => void,
  ...[attack, caller]: Parameters<Stage['startAttack']>
): ReturnType<Stage['startAttack']> {
  let count = 0
  const child: LineProcess<AttackerLine> = await startLineProcess<AttackerLine>(
    new URL('./attacker.ts', import.meta.url),
    [JSON.stringify({ ...attack, baseUrl: server.url, key: caller.key } satisfies Attack)],
    ({ status }) => {
      count += 1
      noteStatus(status)
    },
    { leadsSession: true },
  )
  return { count: () => count, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() }
}
