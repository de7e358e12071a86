// What tests of the reconciliation share: the provider's record, what of it we hold, and how far we have read it.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SandboxOptions } from '../../sandbox/src/app/sandbox.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { openReceiver, type Received, type Receiver } from './receiver.ts'
import type { Envelope } from './relay-provider.ts'
import { providerEvents } from './relay-provider.ts'
import { type RelayWorld, relayWorld } from './relay-world.ts'
import { until } from './test-world.ts'

/** A world that looks at the provider by itself, whose database can be looked into while none of its servers runs. */
export async function reconcileWorld(env: Record<string, string> = {}, sandbox?: SandboxOptions): Promise<RelayWorld> {
  const world = await relayWorld({ RECONCILE_PERIOD_SECONDS: '300', ...env }, sandbox)
  const db = openDatabase(world.database, { poolMax: 2, applicationName: 'test' })
  return {
    ...world,
    rows: async (work) => [...(await db.read(work))],
    async stop() {
      await db.close()
      await world.stop()
    },
  }
}

/** A receiver of everything that concerns the first business. */
export async function receiveAll(world: RelayWorld): Promise<Receiver> {
  const receiver = await openReceiver()
  const set = await world.call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url })
  if (set.status !== 200) throw new Error(`the webhook URL was not taken: ${set.text}`)
  return receiver
}

export function idOf({ body }: Pick<Received, 'body'>): string {
  return JSON.parse(body.toString()).event_id
}

/** Ids of the provider's events that arrived, in order, each as often as it did; our own events are left out. */
export function providerIdsIn(receiver: Receiver): string[] {
  return receiver.seen.map(idOf).filter((id) => id.startsWith('wh_'))
}

export async function recordedIds(world: RelayWorld): Promise<string[]> {
  return (await providerEvents(world)).map(({ event_id: id }: Envelope) => id)
}

/** Ids of the provider's events that we hold as verified */
export async function heldIds(world: RelayWorld): Promise<string[]> {
  const rows = await world.rows<{ id: string }>(
    (query) => query`select provider_event_id as id from events where trust = 'verified' order by id`,
  )
  return rows.map(({ id }) => id)
}

export async function heldCount(world: RelayWorld): Promise<number> {
  const [row] = await world.rows<{ count: number }>(
    (query) => query`select count(*)::int as count from events where trust = 'verified'`,
  )
  return row?.count ?? 0
}

export type PullState = {
  cursorEventId: string | null
  readEventId: string | null
  failures: number
  fence: number
  beganAt: Date | null
  eager: boolean
}

export async function pullState(world: RelayWorld): Promise<PullState> {
  const [row] = await world.rows<PullState>((query) => query`select * from event_pull`)
  if (!row) throw new Error('no state of the pull')
  return row
}

/** Deposits, each with all its steps: some events each. */
export async function makeDeposits(world: RelayWorld, providerAccountId: string, count: number): Promise<void> {
  const order = { amount: '100.00', step_ms: 1 }
  for (let made = 0; made < count; made += 10) {
    await Promise.all(
      Array.from({ length: Math.min(10, count - made) }, () =>
        world.control('POST', `/virtual_accounts/${providerAccountId}/deposits`, order),
      ),
    )
  }
  await until('the last step', async () => {
    const events = await providerEvents(world)
    const steps = (type: string) => events.filter(({ event_object: step }) => step['type'] === type).length
    return steps('payment_processed') === steps('funds_received')
  })
}

/** Waits until the next pull is one that leaves young events to their webhooks. */
export async function ordinaryPull(world: RelayWorld): Promise<void> {
  const { fence } = await pullState(world)
  await until('an ordinary pull to be next', async () => {
    const pull = await pullState(world)
    return pull.fence > fence && !pull.eager
  })
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
