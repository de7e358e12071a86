// The world of the tests: the one `causeway dev` starts, with free ports and a database of its own, and short words for
// what most tests need first. Nothing in it is a stand-in: a real listener, PostgreSQL, the emulated provider over HTTP.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { idImage } from '../../cli/src/demo/image.ts'
import { type Emulator, type SandboxProcess, startSandboxProcess } from '../../cli/src/world/sandbox-process.ts'
import { startWorld, type World } from '../../cli/src/world/world.ts'
import { type SandboxOptions, startSandbox } from '../../sandbox/src/app/sandbox.ts'
import type { FixedLimits } from '../src/platform/config.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { metrics } from '../src/platform/observe/metrics.ts'
import type { ConnectionOptions } from '../src/platform/postgres/client.ts'
import { canaryPrefix } from './canary-search.ts'
import { testDatabase } from './test-database.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, which assert what they find
export type Answer = { status: number; headers: Headers; body: any; text: string }
export type CallOptions = { headers?: Record<string, string>; key?: string | null; raw?: string | Buffer }

export type TestWorld = World & {
  /** Calls our API with the first business's key; `key: null` sends none. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  /** Calls the emulator's control API. */
  control(method: string, path: string, body?: unknown): Promise<Answer>
  /** Another business, with its key. */
  otherBusiness(): Promise<{ customerId: string; apiKey: string }>
  /** What the log said so far, as lines. */
  logLines: string[]
  /** Its database, for a second server, or for a test that must look behind the API. */
  database: ConnectionOptions
}

/** What would meet the tests of other things by the clock; each has tests of its own. */
const quiet = {
  DATABASE_POOL_MAX: '10',
  // Tests look often: on a quick machine more often than a caller may.
  RATE_LIMIT_REQUESTS: '1000000',
  // A walk at the provider uses up faults, and finds what a test means to tell first, or has made up.
  RECONCILE_PERIOD_SECONDS: '0',
}

/** The port of a pooler in transaction mode, by which the servers of the tests reach their database: `npm run proof:pgbouncer`. */
const pooler = process.env['CAUSEWAY_TEST_POOLER']

function addressesBy(port: string, { host, port: directPort, username, password, database }: ConnectionOptions) {
  const urlOf = (place: string) => `postgres://${username}:${encodeURIComponent(password)}@${place}/${database}`
  return {
    DATABASE_URL: urlOf(`127.0.0.1:${port}`),
    DATABASE_DIRECT_URL: urlOf(`${host}:${directPort}`),
    DEPLOYMENT_SECRET: 'a-deployment-secret-of-the-tests-alone',
    ADMIN_SECRET: 'an-admin-secret-of-the-tests',
  }
}

const quick = { kycDecisionMs: 150, depositStepMs: 30 }

/**
 * Starts a world. Its emulator listens in the process of the test, which saves the start of a process.
 * @param options.emulator one that was started as a process, for a test that stops its process
 * @param options.cluster where its database is made, instead of that of the tests; no pooler stands before it
 */
export async function testWorld(
  options: {
    env?: Record<string, string>
    limits?: Partial<FixedLimits>
    sandbox?: SandboxOptions
    emulator?: Emulator
    cluster?: ConnectionOptions
  } = {},
): Promise<TestWorld> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-world-'))
  const database = await testDatabase(options.cluster)
  const poolerPort = options.cluster ? undefined : pooler
  const logLines: string[] = []
  const leave = async () => {
    await database.drop()
    await rm(home, { recursive: true, force: true })
  }
  const world = await startWorld({
    home,
    port: 0,
    sandboxPort: 0,
    ...(poolerPort === undefined && { database: database.connection }),
    env: {
      ...quiet,
      ...(poolerPort !== undefined && addressesBy(poolerPort, database.connection)),
      PROVIDER_CUSTOMER_TIMEOUT_MS: options.env?.['PROVIDER_TIMEOUT_MS'] ?? '10000',
      ...options.env,
    },
    limits: { businessKycSubmissionsPerMinute: 1_000_000, ...options.limits },
    log: createLog('info', (line) => logLines.push(line)),
    emulator: options.emulator ? Promise.resolve(options.emulator) : emulate({ ...quick, ...options.sandbox }),
  }).catch(async (error: unknown) => {
    await leave() // or its connection keeps the process from ending
    throw error
  })
  const call: TestWorld['call'] = async (method, path, body, extra = {}) => {
    const key = extra.key === undefined ? world.facts.apiKey : extra.key
    const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const answer = await request(method, `${world.facts.baseUrl}${path}`, body, {
      ...extra,
      headers: { ...authorization, ...extra.headers },
    })
    if (answer.text.includes(canaryPrefix)) throw new Error(`an answer repeats identity data: ${answer.text}`)
    return answer
  }
  return {
    ...world,
    call,
    logLines,
    database: database.connection,
    control: (method, path, body) => request(method, `${world.sandbox.url}/_sandbox${path}`, body),
    async otherBusiness() {
      const operator = { key: world.facts.adminSecret }
      const customer = await call('POST', '/v0/customers', { name: 'Another business' }, operator)
      const key = await call('POST', `/v0/customers/${customer.body.data.id}/api-keys`, {}, operator)
      return { customerId: customer.body.data.id, apiKey: key.body.data.key }
    },
    async stop() {
      const counted = await metrics.metrics() // `/metrics` may be a second old
      await world.stop()
      const leaks = [counted, ...logLines].filter((text) => text.includes(canaryPrefix))
      await leave()
      if (leaks.length > 0) throw new Error(`identity data was logged or counted: ${leaks[0]}`)
    },
  }
}

async function emulate(options: SandboxOptions): Promise<Emulator> {
  const { url, apiKey, close } = await startSandbox(options)
  let closed: Promise<void> | null = null
  const stop = () => {
    closed ??= close()
    return closed
  }
  return { url, apiKey, stop }
}

/** Starts the emulator as a process of its own, for a test that freezes it. */
export async function emulatorProcess(changes: Partial<typeof quick> = {}): Promise<SandboxProcess> {
  const { kycDecisionMs, depositStepMs } = { ...quick, ...changes }
  const args = ['--kyc-decision-ms', String(kycDecisionMs), '--deposit-step-ms', String(depositStepMs)]
  return await startSandboxProcess({ port: 0, args })
}

export async function request(method: string, url: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
  const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
    ...(payload === undefined ? {} : { body: payload as string }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parseJson(text), text }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Looks until it finds something other than null, undefined or false; fails after `limitMs`. The pauses grow with the time
 * that has passed: a look through the API is a request of 5 ms of CPU.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  limitMs = 30_000,
): Promise<T> {
  const beganMs = performance.now()
  for (;;) {
    const found = await look()
    if (found) return found
    const passedMs = performance.now() - beganMs
    if (passedMs > limitMs) assert.fail(`${what} did not come within ${limitMs / 1000} s`)
    await delay(Math.min(Math.max(20, passedMs / 6), 200))
  }
}

export const solanaWallet = {
  payment_rail: 'solana',
  currency: 'usdc',
  address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
}

let serial = 0
/** An externalUserId that no other test uses. */
export function freshUserId(): string {
  serial += 1
  return `user-${process.pid}-${serial}`
}

/** A complete KYC body of an individual. `mail` decides the emulator's verdict by its suffix, e.g. `ada+reject`. */
export function kycBody(agreement: string | null, mail: string): Record<string, unknown> {
  const image = idImage()
  return {
    type: 'individual',
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: `${mail}@example.com`,
    phone: '+12223334444',
    birth_date: '1990-12-10',
    residential_address: {
      street_line_1: `1 Analytical Way ${canaryPrefix}`,
      city: `San Francisco ${canaryPrefix}`,
      subdivision: 'CA',
      postal_code: '94105',
      country: 'USA',
    },
    identifying_information: [
      { type: 'ssn', issuing_country: 'usa', number: '123-45-6789' },
      {
        type: 'drivers_license',
        issuing_country: 'usa',
        number: `${canaryPrefix}D1234567`,
        image_front: image,
        image_back: image,
      },
    ],
    endorsements: ['base', 'sepa', 'spei'],
    ...(agreement === null ? {} : { signed_agreement_id: agreement }),
  }
}

/** An end-user who has just been created. */
export async function newUser(world: TestWorld, key?: string): Promise<string> {
  const externalUserId = freshUserId()
  const body = { externalUserId, email: `${externalUserId}@example.com` }
  const answer = await world.call('POST', '/v0/end-users', body, key === undefined ? {} : { key })
  if (answer.status !== 200) throw new Error(`no end-user: ${answer.text}`)
  return externalUserId
}

/** Makes a ToS link and accepts it as the page would. @returns the signed agreement's id */
export async function acceptTerms(world: TestWorld, externalUserId: string): Promise<string> {
  const link = await world.call('POST', `/v0/end-users/${externalUserId}/tos-link`)
  const token = new URL(link.body.data.tosLink).searchParams.get('session_token')
  const accepted = await world.control('POST', `/tos/${token}/accept`)
  return accepted.body.signed_agreement_id
}

/** An end-user whose KYC is approved for USD, EUR and MXN. */
export async function approvedUser(world: TestWorld): Promise<string> {
  const externalUserId = await newUser(world)
  const agreement = await acceptTerms(world, externalUserId)
  const answer = await world.call(
    'POST',
    `/v0/end-users/${externalUserId}/submit-kyc`,
    kycBody(agreement, externalUserId),
  )
  if (answer.status !== 200) throw new Error(`KYC was not taken: ${answer.text}`)
  await until('the approval', async () => {
    const user = await world.call('GET', `/v0/end-users/${externalUserId}`)
    const { kycStatus, rails } = user.body.data
    return kycStatus === 'approved' && rails.usd === 'active' && rails.eur === 'active' && rails.mxn === 'active'
  })
  return externalUserId
}

/** An active account of an approved end-user. */
export async function openAccount(
  world: TestWorld,
  externalUserId: string,
  currency = 'usd',
): Promise<Record<string, string>> {
  const answer = await world.call('POST', '/v0/virtual-accounts', {
    externalUserId,
    source: { currency },
    destination: solanaWallet,
    developer_fee_percent: '0.5',
  })
  if (answer.status !== 200) throw new Error(`no account: ${answer.text}`)
  return answer.body.data
}
