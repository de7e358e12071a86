// The emulated provider: its API with our key, its control API, the faults that a test orders, and events as it sends them.

import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Emulator, type SandboxProcess, startSandboxProcess } from '../../cli/src/world/sandbox-process.ts'
import { type SandboxOptions, startSandbox } from '../../sandbox/src/app/sandbox.ts'
import { type Answer, request, until } from './caller.ts'

type Json = Record<string, unknown>
export type Envelope = Json & { event_id: string; event_type: string; event_object: Json }
export type ProviderIds = { customer: string; account: string }

export type UpstreamAccount = {
  id: string
  status: string
  created_at: string
  developer_fee_percent: string
  destination: Record<string, string>
}

/** See the emulator's control API. */
export type Fault = {
  mode: string
  method?: string
  /** A regular expression. */
  path?: string
  /** Limits the fault to writes of this end-user's accounts. `under`: the rest of the path, as a regular expression. */
  about?: string
  under?: string
  status?: number
  delay_ms?: number
  times?: number
  body?: unknown
}

export type Provider = {
  /** Of its API, with the version. */
  url: string
  origin: string
  apiKey: string
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  control(method: string, path: string, body?: unknown): Promise<Answer>
  /** Makes the provider's next responses fail. */
  fails(fault: Fault): Promise<void>
  /** Ends all faults. */
  recovers(): Promise<void>
  /** From now on the provider records its events and sends none. */
  fallSilent(): Promise<void>
  /** Lists all events that the provider has recorded, as it sends them. */
  events(): Promise<Envelope[]>
  eventIds(): Promise<string[]>
  accountIds(): Promise<string[]>
  /** Lists the accounts that the provider has for an end-user. */
  accountsOf(externalUserId: string): Promise<UpstreamAccount[]>
  /** Lists the people of a company, by email address. */
  peopleOf(customerId: string): Promise<string[]>
  /** Counts what the provider has. */
  counts(): Promise<Record<string, number>>
  /** Creates deposits, each with all its steps. */
  deposits(providerAccountId: string, count: number): Promise<void>
  /** Stops the process that a world with `provider: 'process'` has, until `thaw`. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/** @param customerOf finds the provider's ID of an end-user's customer */
export function providerOf(
  emulator: Emulator | SandboxProcess,
  customerOf: (externalUserId: string) => Promise<string>,
): Provider {
  const url = `${emulator.url}/v0`
  const control: Provider['control'] = (method, path, body) => request(method, `${emulator.url}/_sandbox${path}`, body)
  const ask: Provider['ask'] = (method, path, body) =>
    request(method, `${url}${path}`, body, {
      headers: { 'api-key': emulator.apiKey, ...(method === 'POST' && { 'idempotency-key': freshEventId() }) },
    })
  const events = async (): Promise<Envelope[]> => (await control('GET', '/events')).body.data
  const signal = (name: NodeJS.Signals) => {
    if (!('pid' in emulator)) throw new Error("open the world with `provider: 'process'`")
    process.kill(emulator.pid, name)
  }
  return {
    url,
    origin: emulator.url,
    apiKey: emulator.apiKey,
    ask,
    control,
    events,
    async fails({ about, under = '', ...fault }) {
      const order = about === undefined ? fault : { ...accountWrites(await customerOf(about), under), ...fault }
      must(await control('POST', '/faults', order))
    },
    recovers: async () => void (await control('DELETE', '/faults')),
    async fallSilent() {
      const webhooks = await ask('GET', '/webhooks')
      for (const { id } of webhooks.body.data) must(await ask('PUT', `/webhooks/${id}`, { status: 'disabled' }))
    },
    eventIds: async () => (await events()).map(({ event_id: id }) => id),
    accountIds: async () => (await control('GET', '/state')).body.virtual_accounts.ids,
    accountsOf: async (externalUserId) =>
      (await ask('GET', `/customers/${await customerOf(externalUserId)}/virtual_accounts`)).body.data,
    async peopleOf(customerId) {
      const answer = await ask('GET', `/customers/${customerId}/associated_persons`)
      return answer.body.data.map(({ email }: { email: string }) => email).toSorted()
    },
    async counts() {
      const state = await control('GET', '/state')
      const counted = Object.entries(state.body as Record<string, { count: number }>)
      return Object.fromEntries(counted.flatMap(([name, { count }]) => (ownMotion.has(name) ? [] : [[name, count]])))
    },
    async deposits(providerAccountId, count) {
      const order = { amount: '100.00', step_ms: 1 }
      for (let made = 0; made < count; made += 10) {
        await Promise.all(
          Array.from({ length: Math.min(10, count - made) }, () =>
            control('POST', `/virtual_accounts/${providerAccountId}/deposits`, order).then(must),
          ),
        )
      }
      await until('the last step', async () => {
        const recorded = await events()
        const steps = (type: string) => recorded.filter(({ event_object: step }) => step['type'] === type).length
        return steps('payment_processed') === steps('funds_received')
      })
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    stop: emulator.stop,
  }
}

/** The writes that are meant, and none of the reads that the server makes in the meantime. */
function accountWrites(customer: string, under: string): Pick<Fault, 'path' | 'method'> {
  return {
    path: `^/v0/customers/${customer}/virtual_accounts${under}$`,
    method: under.startsWith('/') && !under.endsWith('activate') ? 'PUT' : 'POST',
  }
}

function must(answer: Answer): void {
  if (answer.status >= 300) throw new Error(`the provider refused: ${answer.text}`)
}

/** State that changes without us: the verdict on an end-user of an earlier test may come at any time. */
const ownMotion: ReadonlySet<string> = new Set(['events', 'pending_tasks'])

export const accountPath = '^/v0/customers/[^/]+/virtual_accounts$'
export const customerPath = '^/v0/customers/[^/]+$'

const quick = { kycDecisionMs: 150, depositStepMs: 30 }

/** Starts the emulator in this process, which saves the start of another one. */
export async function emulate(options: SandboxOptions): Promise<Emulator> {
  const { url, apiKey, close } = await startSandbox({ ...quick, ...options })
  let closed: Promise<void> | null = null
  const stop = () => {
    closed ??= close()
    return closed
  }
  return { url, apiKey, stop }
}

/** Starts the emulator as its own process, which can be frozen. */
export async function emulateInProcess(options: Partial<typeof quick>): Promise<SandboxProcess> {
  const { kycDecisionMs, depositStepMs } = { ...quick, ...options }
  const args = ['--kyc-decision-ms', String(kycDecisionMs), '--deposit-step-ms', String(depositStepMs)]
  return await startSandboxProcess({ port: 0, args })
}

export function freshEventId(): string {
  return `wh_${randomBytes(9).toString('base64url')}`
}

/** One step of a deposit as the provider reports it. */
export function activityEvent(
  ids: ProviderIds,
  step: { deposit: string; type: string; amount?: string; at?: string; sender?: string },
): Envelope {
  const at = step.at ?? '2026-03-01T10:00:00.000Z'
  return {
    api_version: 'v0',
    event_id: freshEventId(),
    event_category: 'virtual_account.activity',
    event_type: 'virtual_account.activity.created',
    event_object: {
      id: `act_${freshEventId()}`,
      type: step.type,
      customer_id: ids.customer,
      virtual_account_id: ids.account,
      deposit_id: step.deposit,
      amount: step.amount ?? '100.0',
      currency: 'usd',
      created_at: at,
      source: { payment_rail: 'ach_push', sender_name: step.sender ?? 'Ada Lovelace' },
    },
    event_created_at: at,
  }
}

/** Lists the provider's requests to these paths from now on. */
export function requestsTo(path: RegExp): Disposable & { seen: readonly string[] } {
  const seen: string[] = []
  const note = (message: unknown) => {
    const { url = '' } = (message as { request: IncomingMessage }).request
    if (path.test(url)) seen.push(url)
  }
  subscribe('http.server.request.start', note)
  return { seen, [Symbol.dispose]: () => void unsubscribe('http.server.request.start', note) }
}

/** From now on the provider's responses to these paths carry no Date. */
export function withoutDates(path: RegExp): Disposable {
  const undate = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (path.test(request.url ?? '')) response.sendDate = false
  }
  subscribe('http.server.request.start', undate)
  return { [Symbol.dispose]: () => void unsubscribe('http.server.request.start', undate) }
}
