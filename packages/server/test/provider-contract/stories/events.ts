// Stories of events: which are genuine, whom they are about, and how lost ones are found.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { JsonObject } from '../../../src/platform/values/json.ts'
import type {
  EventReading,
  EventRecord,
  HostedKyc,
  InformationRequests,
  ListedEvent,
  ProviderActivity,
} from '../../../src/provider/port.ts'
import { until } from '../../caller.ts'
import { canaryPrefix } from '../../canary-search.ts'
import { type Story, story } from '../contract.ts'
import { openHook } from '../hook.ts'
import { customer, freshMail, freshWrite, type World } from '../worlds.ts'
import { historyUntil, openAccount } from './deposits.ts'

/** Parts that enrich a story where they are there. */
type Optional = {
  hostedKyc?: HostedKyc | null
  record?: EventRecord | null
  informationRequests?: InformationRequests | null
}

const dayMs = 24 * 3_600_000

export const eventStories: readonly Story[] = [
  story(14, 'an altered event is never verified', ['customers', 'events', 'endpoints'], async (world) => {
    const { events } = world.provider
    await using hook = await openHook(world.provider)
    await customer(world)
    const [delivery] = await until('an event', () => hook.deliveries.length > 0 && hook.deliveries)
    assert.ok(delivery)
    const { rawBody, headers } = delivery
    const now = Date.now()
    const check = (body = rawBody, given = headers, keys = hook.keys, nowMs = now) =>
      events.check(body, given, keys, nowMs)
    assert.equal(events.judge(headers, now), 'right')
    assert.equal(check(), 'verified')
    for (let at = 0; at < rawBody.length; at += 7) {
      const altered = Buffer.from(rawBody)
      altered.writeUInt8(altered.readUInt8(at) ^ 0x01, at)
      assert.equal(check(altered), 'wrong', `byte ${at}`)
    }
    assert.equal(check(Buffer.concat([rawBody, Buffer.from(' ')])), 'wrong')
    assert.equal(check(rawBody, headers, [generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey]), 'wrong')
    assert.equal(check(rawBody, headers, []), 'wrong')
    for (const nowMs of [now + dayMs, now - dayMs]) {
      assert.equal(events.judge(headers, nowMs), 'stale')
      assert.equal(check(rawBody, headers, hook.keys, nowMs), 'stale')
    }
    const without = (name: string) => ({ ...headers, [name]: undefined })
    const signing = Object.keys(headers).filter((name) => check(rawBody, without(name)) !== 'verified')
    assert.equal(signing.length, 1, 'one header holds the signature')
    const [name = ''] = signing
    assert.equal(check(rawBody, without(name)), 'absent')
    assert.equal(events.judge(without(name), now), 'absent')
    for (const value of ['', 'signed, honestly', `${headers[name]}, t=1`, `${headers[name]}`.slice(0, -8)])
      assert.notEqual(check(rawBody, { ...headers, [name]: value }), 'verified', value)
  }),
  story(
    15,
    'every event is read, has an owner, and is sealed if it is about people',
    needsOfEvents(),
    async (world) => {
      const { events } = world.provider
      await using hook = await openHook(world.provider)
      const { ids, email } = await everyKindOfEvent(world)
      const { hostedKyc, informationRequests } = world.provider as Optional
      const wanted = [
        ...['customer', 'account', 'deposit'],
        ...(hostedKyc?.createForNew ? ['hosted_kyc'] : []),
        ...(informationRequests ? ['information_request'] : []),
      ]
      const readings = await until('an event of each kind', () => {
        const all = hook.deliveries.map(({ body, rawBody }) => ({ reading: events.read(body), body, rawBody }))
        return wanted.every((about) => all.some(({ reading }) => reading.about === about)) && all
      })
      let sealed = 0
      for (const { reading, body, rawBody } of readings) {
        const { id, type } = events.envelope(body)
        assert.ok(typeof id.value === 'string' && id.value !== '', id.name)
        assert.ok(events.types.includes(String(type.value)), `${type.value} is listed`)
        assert.notEqual(reading.about, 'other', String(type.value))
        assert.ok(
          reading.hints.refs.some((ref) => ids.has(ref)),
          `${type.value} has an owner: ${reading.hints.refs}`,
        )
        assertNames(reading)
        const text = rawBody.toString()
        const hasPeople = text.includes(email) || text.includes(canaryPrefix)
        if (hasPeople) assert.ok(reading.isAboutPeople, String(type.value))
        if (hasPeople) sealed += 1
        if (reading.about === 'deposit') assert.ok(reading.activity?.activity.id, 'a deposit event has an activity')
        if (reading.about !== 'information_request') assert.deepEqual(events.forwarded(reading, body, rawBody), rawBody)
      }
      assert.ok(sealed > 0, 'an event about people is among them')
      for (const nothing of [{}, { data: null }, { event_object: [] }] as JsonObject[])
        assert.equal(events.read(nothing).activity, null, 'an event with nothing known in it is still an event')
    },
  ),
  story(
    16,
    'every deposit and verdict is found without webhooks',
    ['customers', 'accounts', 'deposits', 'events'],
    async (world) => {
      const { events, deposits, customers } = world.provider
      const { record = null } = world.provider as Optional
      const last = record && (await allOf(record)).at(-1)
      const account = await openAccount(world)
      const made = new Map<string, string>()
      for (const amount of ['11.00', '12.00', '13.45'])
        made.set(
          await world.control.deposit(account.accountId, { amount, step_ms: 1 }),
          amount === '13.45' ? 'refunded' : 'completed',
        )
      const history = await historyUntil(world.provider, account, made)
      const steps = [...made.keys()].flatMap((id) => history.get(id) ?? []).map(({ activity }) => activity.id)
      if (deposits.ofAll !== null) {
        const found = new Set<string>()
        for (let from: string | undefined, isOver = false; !isOver && !steps.every((id) => found.has(id)); ) {
          const page: ProviderActivity[] = await deposits.ofAll({
            limit: 4,
            ...(from !== undefined && { startingAfter: from }),
          })
          for (const { activity } of page) {
            assert.ok(!found.has(activity.id), 'no activity is on two pages')
            found.add(activity.id)
          }
          from = page.at(-1)?.activity.id
          isOver = page.length < 4
        }
        assert.deepEqual(
          steps.filter((id) => !found.has(id)),
          [],
          'the walk over all accounts finds each step',
        )
      }
      assert.equal((await customers.read(account.customerId)).verdict, 'approved', 'a read shows the verdict')
      if (record === null) return
      const recorded = (await allOf(record, last?.eventId)).map(({ rawBody }) =>
        events.read(JSON.parse(rawBody.toString())),
      )
      const told = recorded.flatMap(({ activity }) => (activity?.depositId ? [activity.activity.id] : []))
      assert.deepEqual(told.toSorted(), steps.toSorted(), 'the record has each step once')
      const aboutCustomer = recorded.filter(
        ({ about, customerId }) => about === 'customer' && customerId === account.customerId,
      )
      assert.ok(aboutCustomer.length > 1, 'and the verdict')
    },
  ),
]

function needsOfEvents() {
  return ['customers', 'accounts', 'deposits', 'events', 'endpoints'] as const
}

/** Each id in `named` can be asked about: it is one of the hints as well. */
function assertNames({ named, hints, about }: EventReading): void {
  const ids = [...named.customers, ...named.hostedPages, ...named.accounts]
  for (const id of ids) assert.ok(hints.refs.includes(id), `${about} names ${id}`)
  if (about === 'customer') assert.ok(named.customers.length > 0)
  if (about === 'account' || about === 'deposit') assert.ok(named.accounts.length > 0)
  if (about === 'hosted_kyc') assert.ok(named.hostedPages.length > 0)
}

async function everyKindOfEvent(world: World<'customers' | 'accounts' | 'deposits'>) {
  const { customerId, accountId } = await openAccount(world)
  const { accounts, customers } = world.provider
  const { hostedKyc, informationRequests } = world.provider as Optional
  const made = new Map([[await world.control.deposit(accountId, { amount: '10.00', step_ms: 1 }), 'completed']])
  await historyUntil(world.provider, { customerId, accountId }, made)
  await accounts.switch(customerId, accountId, 'deactivated', freshWrite())
  const ids = new Set([customerId, accountId])
  if (informationRequests) await world.control.openInformationRequest({ customer_id: customerId })
  const { email, ...standing } = await customer(world)
  ids.add(standing.id)
  await customers.change(standing.id, standing.whole, standing.current, freshWrite())
  if (hostedKyc?.createForNew) {
    const page = { email: `${freshMail()}@example.com`, type: 'individual', endorsements: [] } as const
    ids.add((await hostedKyc.createForNew({ ...page, endorsements: [] }, freshWrite())).id)
  }
  return { ids, email }
}

const pageMax = 7
async function allOf(record: EventRecord, after?: string): Promise<ListedEvent[]> {
  const events: ListedEvent[] = []
  for (let from = after, isOver = false; !isOver; ) {
    const page = await record.list({ limit: pageMax, ...(from !== undefined && { startingAfter: from }) })
    assert.ok(page.events.every(({ eventId }) => !events.some((known) => known.eventId === eventId)))
    events.push(...page.events)
    from = page.events.at(-1)?.eventId
    isOver = page.events.length < pageMax
  }
  return events
}
