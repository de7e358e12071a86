// Real, forged, repeated, late and damaged events in any order: nothing forged changes anything, nothing real is suppressed,
// and everything ends as the provider itself has it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { request, until } from './caller.ts'
import { type Envelope, freshEventId } from './provider.ts'
import { openWorld } from './world.ts'

// The provider sends nothing: every event is posted here.
const world = await openWorld({ alone: true })
after(() => world.stop())

let externalUserId = ''
let account: Record<string, string> = {}
let ids = { customer: '', account: '' }

before(async () => {
  externalUserId = await world.business.user('approved')
  account = await world.business.account(externalUserId)
  ids = await world.providerIdsOf(account['id'] ?? '')
  await world.provider.fallSilent()
})

/** The provider's records of a new deposit, in its own words. */
async function newDeposit(amount: string): Promise<{ depositId: string; events: Envelope[] }> {
  const made = await world.provider.control('POST', `/virtual_accounts/${ids.account}/deposits`, { amount })
  const depositId: string = made.body.deposit_id
  const events = await until('the payout', async () => {
    const all = (await world.provider.events()).filter(({ event_object: step }) => step['deposit_id'] === depositId)
    return all.some(({ event_object: step }) => step['type'] === 'payment_processed') && all
  })
  return { depositId, events }
}

type Posted = { body: string; signature?: string; status: number }

const staleMs = 11 * 60_000

/**
 * An attacker's versions of a real event: its ID taken, its content changed, its signature changed, or an old one used.
 */
function forgeriesOf(real: Envelope): Posted[] {
  const body = JSON.stringify(real)
  const signature = world.signer.sign(body)
  const richer = { ...real.event_object, amount: '9000000.0', deposit_id: `forged-${freshEventId()}` }
  const changed = JSON.stringify({ ...real, event_object: richer })
  const refunded = JSON.stringify({ ...real, event_object: { ...real.event_object, type: 'refunded' } })
  const ended = {
    ...real,
    event_id: freshEventId(),
    event_category: 'customer',
    event_type: 'customer.updated.status_transitioned',
    event_object: { id: ids.customer, status: 'offboarded' },
  }
  const [time = '', value = ''] = signature.split(',v0=')
  return [
    { body: changed, status: 200 }, // unsigned, the id of the real one
    { body: refunded, status: 200 },
    { body: JSON.stringify(ended), status: 200 },
    { body: changed, signature, status: 401 }, // the signature of another body
    { body: body.replace('"amount":"', '"amount":"9'), signature, status: 401 },
    { body, signature: `${time.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))},v0=${value}`, status: 401 },
    { body, signature: `${time},v0=${flipped(value)}`, status: 401 },
    { body, signature: world.signer.sign(body, Date.now() - staleMs), status: 400 },
  ]
}

function flipped(base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100)
  return bytes.toString('base64')
}

/** An honest one twice, and what is made of it. */
const postsEach = 10

async function post({ body, signature }: Posted): Promise<number> {
  const headers: Record<string, string> = signature === undefined ? {} : { 'x-webhook-signature': signature }
  const url = `${world.url}/v0/webhooks/provider`
  return (await request('POST', url, undefined, { raw: body, headers })).status
}

const allDealtWith = () =>
  until('all events to be dealt with', async () => {
    const [row] = await world.rows<{ pending: number }>`
      select count(*)::int as pending from event_work where state = 'pending'`
    return row?.pending === 0
  })

/** Status and amounts of one of the account's deposits, as the API shows it. */
async function depositOf(providerDepositId: string): Promise<unknown> {
  const [row] = await world.rows<{ id: string }>`
    select id from deposits where provider_deposit_id = ${providerDepositId}`
  const { data } = (await world.business.call('GET', `/v0/deposits/${row?.id}`)).body
  const timeline = data.timeline.map(({ activityId, status }: Record<string, string>) => ({ activityId, status }))
  return { ...data, id: '', createdAt: '', updatedAt: '', timeline }
}

const accountState = async () => [
  (await world.business.call('GET', `/v0/virtual-accounts/${account['id']}`)).body.data,
  (await world.business.call('GET', `/v0/end-users/${externalUserId}`)).body.data.kycStatus,
]

const normal = (deposit: unknown, events: readonly Envelope[]): unknown => {
  const text = events.reduce(
    (read, { event_object: step }, index) => read.replaceAll(String(step['id']), `activity-${index}`),
    JSON.stringify(deposit),
  )
  // References, hashes and times differ from one deposit to the next.
  return JSON.parse(text, (_, value) => (typeof value === 'string' && !isTelling(value) ? '…' : value))
}
const isTelling = (value: string): boolean => known.has(value) || /^\d+\.\d+$/.test(value)
const known = new Set(['completed', 'scheduled', 'received', 'in_review', 'payout_submitted', 'usd', 'usdc'])

test('whatever order real, forged, repeated and damaged events come in, the deposit ends as the provider has it', async () => {
  const inOrder = await newDeposit('250.00')
  for (const event of inOrder.events) await world.post(event)
  await allDealtWith()
  const truth = normal(await depositOf(inOrder.depositId), inOrder.events)
  assert.match(JSON.stringify(truth), /"status":"completed"/)
  const stateBefore = await accountState()
  const places = [...Array(inOrder.events.length * postsEach).keys()]
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(places, { minLength: places.length }), async (order) => {
      const { depositId, events } = await newDeposit('250.00')
      const posts = events.flatMap((real) => {
        const body = JSON.stringify(real)
        const honest = { body, signature: world.signer.sign(body), status: 200 }
        return [honest, honest, ...forgeriesOf(real)]
      })
      assert.equal(posts.length, places.length)
      for (const place of order) {
        const posted = posts[place]
        if (posted) assert.equal(await post(posted), posted.status, posted.body.slice(0, 80))
      }
      await allDealtWith()
      assert.deepEqual(normal(await depositOf(depositId), events), truth)
      assert.deepEqual(await accountState(), stateBefore)
      await assertStoredOnce(events)
    }),
    { numRuns: 5 },
  )
  const forged = await world.rows`select 1 from deposits where provider_deposit_id like 'forged-%'`
  assert.equal(forged.length, 0)
})

/** Each real one by its own bytes, whatever had its id before. */
async function assertStoredOnce(events: readonly Envelope[]): Promise<void> {
  const rows = await world.rows<{ body: Buffer }>`
      select body from events where trust = 'verified'
        and provider_event_id = any(${events.map((event) => event.event_id)}::text[]) order by provider_event_id`
  assert.deepEqual(
    rows.map(({ body }) => body.toString()),
    events.toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1)).map((event) => JSON.stringify(event)),
  )
}

test('one flipped byte anywhere in signature, time or body is refused, and the real event is taken in after it', async () => {
  const headers = (signature: string) => ({ 'x-webhook-signature': signature })
  const url = `${world.url}/v0/webhooks/provider`
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, mask, inBody) => {
      const real = JSON.stringify({ event_id: freshEventId(), event_type: 'test.happened' })
      const signature = world.signer.sign(real)
      const [bentBody, bentSignature] = [Buffer.from(real), Buffer.from(signature)]
      const bent = inBody ? bentBody : bentSignature
      const place = at % bent.length
      bent.writeUInt8(bent.readUInt8(place) ^ (inBody ? mask : 1 + (mask % 15)), place)
      const answer = await request('POST', url, undefined, {
        raw: bentBody,
        headers: headers(bentSignature.toString('latin1').replace(/[^\x21-\x7e]/g, '!')),
      })
      // Base64 has bits that mean nothing: what reads as the very same signature is no forgery.
      const isSame = !inBody && sameSignature(signature, bentSignature.toString('latin1'))
      if (!isSame) assert.ok(answer.status === 401 || answer.status === 400, `${answer.status} at ${place}`)
      const honest = await request('POST', url, undefined, { raw: real, headers: headers(signature) })
      assert.equal(honest.status, 200)
      if (!isSame) assert.doesNotMatch(honest.body.data.message, /received before/)
    }),
    { numRuns: 60 },
  )
})

function sameSignature(one: string, other: string): boolean {
  const partsOf = (text: string) => text.split(/,v0=/)
  const [[time, value = ''], [otherTime, otherValue = '']] = [partsOf(one), partsOf(other)]
  return time === otherTime && Buffer.from(value, 'base64').equals(Buffer.from(otherValue, 'base64'))
}
