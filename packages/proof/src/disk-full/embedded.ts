// The same for one process that keeps its own PostgreSQL, with all its state on the small filesystem: `causeway serve`
// without DATABASE_URL is nobody's but its own supervisor.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { entry } from '../../../cli/test/process.ts'
import { locate } from '../../../embedded-postgres/src/place.ts'
import { request } from '../../../server/test/caller.ts'
import { firstAfterMs, isAcknowledged, isFit } from '../fleet/answers.ts'
import type { SmallDisk } from '../rig/databases/small-disk.ts'
import { callerOf, type Heard, readAll } from '../rig/load/caller.ts'
import { freePort } from '../rig/ports.ts'
import { type Program, startProgram, untilProgram } from '../rig/programs.ts'
import { type Full, faultsOfReadiness, notReadyAfterMs, tellsCause, watchReadiness } from './readiness.ts'

export type EmbeddedFigures = {
  acknowledged: number
  lost: number
  refused: number
  unfitAnswers: number
  unanswered: number
  /** In so many rounds the process started its database again. */
  databaseStarts: number
  /** From the moment there was room until a write was acknowledged, for each round. */
  recoveredMs: readonly (number | null)[]
  /** From the first refused write until `/readyz` said 503, for each round. */
  notReadyMs: readonly (number | null | 'never')[]
  /** Whether the log had the cause. */
  tellsCause: boolean
  examples: readonly string[]
}

type Run = { times: number; fullMs: number; recoveryMs: number; say: (line: string) => void }

const callers = 4
const pauseMs = 50
const answerMsMax = 10_000
const steadyMs = 4_000
const examplesMax = 5

export async function fillEmbedded(disk: SmallDisk, { times, fullMs, recoveryMs, say }: Run): Promise<EmbeddedFigures> {
  await using stack = new AsyncDisposableStack()
  const server = await startServer(disk)
  stack.use(server.program)
  const apiKey = await openCustomer(server)
  const writes = startWrites(server.url, apiKey)
  stack.defer(() => writes.stop())
  await delay(steadyMs)
  const watch = watchReadiness([server.url])
  stack.defer(() => watch.stop())
  const rounds: Full[] = []
  let log = ''
  let databaseStarts = 0
  for (let round = 1; round <= times; round++) {
    const before = postmasterOf(server.home)
    const fullAtMs = Date.now()
    disk.fill()
    await delay(fullMs / 2)
    log += server.program.log()
    // From the second round on it has to start while there is no room for its lock file.
    if (round > 1) process.kill(before, 'SIGKILL')
    await delay(fullMs / 2)
    await disk.free()
    const freedAtMs = Date.now()
    rounds.push({ fullAtMs, freedAtMs })
    const deadline = performance.now() + 2 * recoveryMs
    while (recoveredMs(writes.heard, freedAtMs) === null && performance.now() < deadline) await delay(100)
    say(`embedded, round ${round}: writes again after ${recoveredMs(writes.heard, freedAtMs)} ms`)
    if (postmasterOf(server.home) !== before) databaseStarts += 1
    await delay(steadyMs)
  }
  await Promise.all([writes.stop(), watch.stop()])
  const found = new Set(await namesAt(server.url, apiKey))
  const { heard, acknowledged } = writes
  const unfit = heard.filter((answer) => answer.status !== null && !isFit(answer))
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((name) => !found.has(name)).length,
    refused: heard.filter(({ status }) => status === 503).length,
    unfitAnswers: unfit.length,
    unanswered: heard.filter(({ status }) => status === null).length,
    databaseStarts,
    recoveredMs: rounds.map(({ freedAtMs }) => recoveredMs(heard, freedAtMs)),
    notReadyMs: rounds.map((round) => notReadyAfterMs(watch.looks, heard, round)),
    tellsCause: tellsCause(log),
    examples: unfit.slice(0, examplesMax).map((answer) => JSON.stringify(answer)),
  }
}

export function faultsOfEmbedded(figures: EmbeddedFigures, recoveryMsMax: number): string[] {
  const { databaseStarts, recoveredMs, acknowledged, lost, refused, unfitAnswers, unanswered } = figures
  const faults: string[] = []
  if (acknowledged === 0 || refused === 0)
    faults.push(`${acknowledged} acknowledged and ${refused} refused prove nothing`)
  if (lost > 0) faults.push(`${lost} acknowledged writes were lost`)
  if (unfitAnswers > 0) faults.push(`${unfitAnswers} answers were no 503 that says when to come back`)
  if (unanswered > 0) faults.push(`${unanswered} calls without an answer`)
  if (recoveredMs.length > 1 && databaseStarts === 0) faults.push('the database never had to start again')
  for (const wait of recoveredMs)
    if (wait === null || wait > recoveryMsMax) faults.push(`writes were acknowledged again after ${wait} ms`)
  faults.push(...faultsOfReadiness(figures))
  return faults.map((fault) => `embedded: ${fault}`)
}

type Server = { program: Program; url: string; home: string; adminSecret: string }

async function startServer(disk: SmallDisk): Promise<Server> {
  const port = await freePort()
  // As root the database lies beside a temporary state folder: on the small filesystem, too.
  const home = join(disk.path, 'home')
  const adminSecret = randomBytes(16).toString('hex')
  const env = {
    CAUSEWAY_HOME: home,
    PORT: String(port),
    ADMIN_SECRET: adminSecret,
    PROVIDER_URL: 'http://127.0.0.1:9/v0', // the discard port: nobody answers there
    PROVIDER_API_KEY: 'sk-test-proof',
    RECONCILE_PERIOD_SECONDS: '0',
    RATE_LIMIT_REQUESTS: '1000000',
    LOG_LEVEL: 'error', // the log keeps the cause among few lines
  }
  const program = startProgram('causeway', { file: process.execPath, args: [entry, 'serve'], env, asOurselves: true })
  const url = `http://127.0.0.1:${port}`
  await untilProgram('was ready', program, async () => (await fetch(`${url}/readyz`)).status === 200)
  return { program, url, home, adminSecret }
}

function postmasterOf(home: string): number {
  return Number(readFileSync(join(locate(home).cluster, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
}

async function openCustomer({ url, adminSecret }: Server): Promise<string> {
  const headers = { authorization: `Bearer ${adminSecret}` }
  const customer = await request('POST', `${url}/v0/customers`, { name: 'A business of the proof' }, { headers })
  const issued = await request('POST', `${url}/v0/customers/${customer.body.data.id}/api-keys`, {}, { headers })
  return issued.body.data.key
}

function startWrites(url: string, apiKey: string) {
  const heard: Heard[] = []
  const acknowledged: string[] = []
  let isOver = false
  const tally = {
    ...{ acknowledged: 0, repeated: new Map<string, number>(), violations: [] },
    hear: (answer: Heard) => void heard.push(answer),
  }
  const caller = callerOf(businessOf(apiKey), () => url, tally, AbortSignal.timeout(2 ** 31 - 1))
  const run = async (name: string): Promise<void> => {
    for (let place = 0; !isOver; place++) {
      const externalUserId = `${name}-${place}`
      const answer = await caller.write('POST', '/v0/end-users', { externalUserId })
      if (answer.ok) acknowledged.push(externalUserId)
      await delay(pauseMs)
    }
  }
  const running = Promise.all(Array.from({ length: callers }, (_, index) => run(`full-${index}`)))
  running.catch(() => {}) // `stop` reports the error
  return {
    heard,
    acknowledged,
    async stop() {
      isOver = true
      await running
    },
  }
}

/** Of every end-user there is. */
async function namesAt(url: string, apiKey: string): Promise<string[]> {
  const tally = { acknowledged: 0, repeated: new Map<string, number>(), violations: [] }
  const caller = callerOf(businessOf(apiKey), () => url, tally, AbortSignal.timeout(6 * answerMsMax))
  return (await readAll(caller, '/v0/end-users')).map((user) => String(user['externalUserId']))
}

const businessOf = (apiKey: string) => ({ index: 0, id: '', apiKey, mark: '', endpointId: '', secret: '' })

function recoveredMs(heard: readonly Heard[], freedAtMs: number): number | null {
  const times = heard.filter(isAcknowledged).map(({ atMs }) => atMs)
  return firstAfterMs(times, freedAtMs)
}
