// Stories of responses that nobody planned, refusals, absent parts, and data that must not leak.

import assert from 'node:assert/strict'
import { tracingChannel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { isDepositActivity } from '../../../src/deposits/state.rules.ts'
import { isJsonObject, type JsonObject } from '../../../src/platform/values/json.ts'
import { ProviderError, type Refusal, type Submission } from '../../../src/provider/port.ts'
import { canaryPrefix } from '../../canary-search.ts'
import { failureOf } from '../../provider-world.ts'
import { type Story, story } from '../contract.ts'
import type { Forger, Reply } from '../wire.ts'
import { approved, customer, freshMail, freshWrite, type With, type World } from '../worlds.ts'
import { termsOf } from './accounts.ts'
import { historyUntil, openAccount } from './deposits.ts'

const json = { 'content-type': 'application/json' }
const html = '<html><body>502 Bad Gateway</body></html>'
/** One byte more than a response may have. */
const tooLong = `"${'x'.repeat(4 * 1024 * 1024)}"`

/** A list in which no entry can be read. */
const unreadableEntries = '{"data":[7]}'

/** Successes that are none. */
const unreadable = [html, '', 'null', '{}', '"text"', '[7]', unreadableEntries, '{"data":{}}', tooLong]
const unavailable: (Reply | 'not_http')[] = [
  'not_http',
  ...[301, 404, 429, 502].map((status) => ({ status, headers: { 'content-type': 'text/html' }, body: html })),
  { status: 503, headers: json, body: '{"code":"busy"}' },
]

type Judged = 'customers' | 'accounts' | 'deposits'
const callsMax = 4

/** Every call of the adapter that returns an object, by name. */
function callsOf(provider: With<Judged>, submission: Submission) {
  const { customers, accounts, deposits } = provider
  const terms = termsOf(provider)
  const optional = provider as unknown as Partial<World['provider']>
  const current = { type: 'individual', agreement: null } as const
  const reads = {
    'customers.read': () => customers.read('a'),
    'customers.people.list': () => customers.people.list('a'),
    'customers.findByEmail': () => customers.findByEmail('a@example.com'),
    'accounts.read': () => accounts.read('a', 'b'),
    'accounts.findOpened': () => accounts.findOpened('a', 'b'),
    'deposits.ofAccount': () => deposits.ofAccount('a', 'b', {}),
    ...(optional.terms?.linkOfCustomer && { 'terms.linkOfCustomer': () => optional.terms?.linkOfCustomer?.('a') }),
    ...(optional.hostedKyc && { 'hostedKyc.linkOfCustomer': () => optional.hostedKyc?.linkOfCustomer('a', {}) }),
    ...(optional.informationRequests && { 'informationRequests.read': () => optional.informationRequests?.read('a') }),
    ...(optional.record && { 'record.list': () => optional.record?.list({}) }),
    ...(optional.endpoints && { 'endpoints.list': () => optional.endpoints?.list() }),
  }
  const writes = {
    'customers.create': () => customers.create(submission, freshWrite()),
    'customers.change': () => customers.change('a', submission, current, freshWrite()),
    'customers.people.add': () => customers.people.add('a', { first_name: 'Ada' }, freshWrite()),
    'accounts.open': () => accounts.open('a', terms, freshWrite()),
    'accounts.change': () => accounts.change('a', 'b', { destination: terms.destination }, freshWrite()),
    'accounts.switch': () => accounts.switch('a', 'b', 'activated', freshWrite()),
    ...(optional.terms && { 'terms.createLink': () => optional.terms?.createLink(freshWrite()) }),
  }
  return { reads: Object.entries(reads), writes: Object.entries(writes) }
}

/** The result is a list without objects. The one that decides about a second account says that it is not complete. */
const hasNoObject = (value: unknown): boolean =>
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && isEmpty(value['accounts']) && Number(value['unreadable']) > 0) ||
  (isJsonObject(value) && isEmpty(value['events']))

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

export const failureStories: readonly Story[] = [
  story(17, 'an odd response makes no object and no loop', ['customers', 'accounts', 'deposits'], async (world) => {
    const { submission } = await customer(world)
    const { reads, writes } = callsOf(world.provider, submission)
    for (const [name, call] of [...reads, ...writes]) {
      for (const body of unreadable) {
        world.wire.forge(() => ({ status: 200, headers: json, body }))
        const about = `${name} ${body.slice(0, 20)}`
        const outcome = await Promise.resolve(call()).catch((error: unknown) => error)
        assert.ok(world.wire.calls.length <= callsMax, `${about} asks again and again`)
        if (body === unreadableEntries && hasNoObject(outcome)) continue
        assert.ok(outcome instanceof ProviderError, `${about} gives ${inspect(outcome)}`)
        assert.equal(outcome.kind, 'unreadable', about)
        if (writes.some(([write]) => write === name)) assert.ok(outcome.carriedOut, `${about} was carried out`)
      }
      for (const reply of unavailable) {
        world.wire.forge(() => reply)
        const failure = await failureOf(Promise.resolve(call()))
        assert.equal(failure.kind, 'unavailable', `${name} ${JSON.stringify(reply).slice(0, 40)}`)
        assert.ok(world.wire.calls.length <= callsMax, `${name} asks again and again`)
      }
    }
    world.wire.heal()
    const account = await openAccount(world)
    await assertNewWords(world, account)
    await assertMembersMissing(world, account)
  }),
  story(18, 'each refusal comes in our words', ['customers', 'accounts', 'terms'], async (world) => {
    const { customers, accounts, offer } = world.provider
    const { id: reviewed, submission } = await customer(world)
    const refused = async (refusal: Refusal, call: Promise<unknown>) => {
      const failure = await failureOf(call)
      assert.equal(failure.refusal, refusal)
      assert.equal(failure.kind, 'rejected', refusal)
      assert.ok(!failure.outcomeUnknown, 'after a refusal nothing has happened')
    }
    const open = (id: string, currency: 'usd' | 'mxn' = 'usd') =>
      accounts.open(id, termsOf(world.provider, currency), freshWrite())
    await refused('kyc_not_approved', open(reviewed))
    const other = { ...submission, body: { ...submission.body, email: `${freshMail()}@example.com` } }
    await refused('agreement_invalid', customers.create({ ...other, agreement: 'never-signed' }, freshWrite()))
    const { id: unsigned } = await customers.create({ ...other, agreement: null }, freshWrite())
    await world.control.decideKyc(unsigned, { decision: 'approve' })
    await refused('terms_not_accepted', open(unsigned))
    const { id: american } = await approved(world, { endorsements: offer.fiat.usd.endorsements.slice(0, 1) })
    if (offer.fiat.mxn.depositRails.length > 0) await refused('rail_not_open', open(american, 'mxn'))
    for (const [refusal, order] of Object.entries(world.candidate.refusals)) {
      await world.control.addFault({ ...order, times: 1 })
      await refused(refusal as Refusal, open(american))
    }
  }),
  story(19, 'what an adapter lacks, it says beforehand', ['customers', 'accounts'], async (world) => {
    const { traits, accounts, customers } = world.provider
    for (const [name, part] of Object.entries(world.provider))
      assert.notEqual(part, undefined, `${name} is there, or is null`)
    for (const origin of traits.pageOrigins) assert.equal(new URL(origin).origin, origin)
    assert.ok(traits.keyLifeMs === null || traits.keyLifeMs > 0)
    assert.ok(traits.readsPerSecond > 0)
    const { customerId, accountId } = await openAccount(world)
    if (traits.fee === 'percent') {
      const terms = { ...termsOf(world.provider), developerFeePercent: '2.5' }
      assert.equal((await accounts.open(customerId, terms, freshWrite())).developerFeePercent, '2.5')
    }
    if (traits.canChange.fee) {
      const changed = await accounts.change(customerId, accountId, { developerFeePercent: '3.5' }, freshWrite())
      assert.equal(changed.developerFeePercent, '3.5')
    }
    // An ID that would name another resource than its own is refused, and no call is sent.
    for (const id of ['', '.', '..']) {
      world.wire.heal()
      assert.equal((await failureOf(customers.read(id))).kind, 'rejected')
      assert.equal((await failureOf(accounts.switch(customerId, id, 'deactivated', freshWrite()))).kind, 'rejected')
      assert.equal(world.wire.calls.length, 0)
    }
    assert.equal((await failureOf(customers.read(`${customerId}/virtual_accounts`))).kind, 'not_found')
    assert.ok(
      world.wire.calls.every(({ path }) => !path.includes(`${customerId}/`)),
      'an ID stays one part of a path',
    )
  }),
  story(20, 'no data of a submission is in logs, traces and failures', ['customers'], async (world) => {
    const seen: unknown[] = []
    const log = (facts: unknown, message: string) => void seen.push(facts, message)
    // Node adds the result of the call for subscribers in the process. The exporter of traces does not read it.
    const note = ({ result: _, ...facts }: Record<string, unknown>) => void seen.push(facts)
    const noted = { start: note, end: note, asyncStart: note, asyncEnd: note, error: note }
    const channel = tracingChannel<Record<string, unknown>>('causeway:upstream')
    channel.subscribe(noted)
    try {
      const { customers } = world.adapter({ log: { debug: log, warn: log, error: log } })
      const { submission, id, whole, current } = await customer({
        ...world,
        provider: { ...world.provider, customers },
      })
      for (const status of [200, 400, 401, 404, 409, 422, 500]) {
        // A provider that repeats what it was sent, as an object and as a text.
        for (const echo of [(body: string) => body, (body: string) => JSON.stringify({ code: body, message: body })]) {
          world.wire.forge(({ body }) => ({ status, headers: json, body: echo(body) }))
          seen.push(await failureOf(customers.create(submission, freshWrite())).then(withoutFields))
          seen.push(await failureOf(customers.change(id, whole, current, freshWrite())).then(withoutFields))
        }
      }
    } finally {
      channel.unsubscribe(noted)
      world.wire.heal()
    }
    assert.ok(seen.length > 30, 'there is something to search')
    const text = inspect(seen, { depth: 10, maxStringLength: null, maxArrayLength: null })
    for (const canary of [canaryPrefix, 'Lovelace', '123-45-6789', '1990-12-10'])
      assert.ok(
        !text.includes(canary),
        `${canary} in ${text.slice(Math.max(text.indexOf(canary) - 300, 0)).slice(0, 600)}`,
      )
  }),
]

/**
 * `fields` and `reason` may contain submitted values, as documented. Adds the members of an Error that a spread omits.
 */
function withoutFields(failure: ProviderError) {
  const { fields: _, reason: __, existingPage: ___, ...rest } = failure
  const { message, cause, stack } = failure
  return { ...rest, message, cause, stack }
}

/** A word that is new to us is no failure: it leaves open what it would decide. */
async function assertNewWords(
  { provider, wire, candidate, control }: World<Judged>,
  { customerId, accountId }: Awaited<ReturnType<typeof openAccount>>,
): Promise<void> {
  const depositId = await control.deposit(accountId, { amount: '10.00', step_ms: 1 })
  await historyUntil(provider, { customerId, accountId }, new Map([[depositId, 'completed']]))
  wire.forge(changed((body) => candidate.strange(body)))
  assert.equal((await provider.customers.read(customerId)).verdict, 'unknown')
  assert.equal((await provider.accounts.read(customerId, accountId)).status, 'unknown')
  const history = await provider.deposits.ofAccount(customerId, accountId, {})
  assert.ok(history.length > 0, 'there is an activity to read')
  for (const { activity } of history) assert.ok(!isDepositActivity(activity.type), activity.type)
  wire.heal()
}

/** Without one of its members, a response is unreadable, or still about the same object. */
async function assertMembersMissing(
  { provider, wire }: World<Judged>,
  { customerId, accountId }: Awaited<ReturnType<typeof openAccount>>,
): Promise<void> {
  const reads = {
    [customerId]: () => provider.customers.read(customerId),
    [accountId]: () => provider.accounts.read(customerId, accountId),
  }
  for (const [id, read] of Object.entries(reads)) {
    const names = new Set<string>()
    wire.forge(changed((body) => named(body, names)))
    await read()
    for (const name of names) {
      wire.forge(changed((body) => without(body, name)))
      const outcome = await read().catch((error: unknown) => error)
      if (outcome instanceof ProviderError) assert.equal(outcome.kind, 'unreadable', `without ${name}`)
      else assert.equal((outcome as { id: string }).id, id, `without ${name}`)
    }
  }
  wire.heal()
}

const changed =
  (change: (body: JsonObject) => JsonObject): Forger =>
  async (_, genuine) => {
    const reply = await genuine()
    return { ...reply, body: JSON.stringify(change(JSON.parse(reply.body) as JsonObject)) }
  }

/** Notes the members of a response, of the first two levels: many providers wrap their objects. */
function named(body: JsonObject, names: Set<string>): JsonObject {
  for (const [name, value] of Object.entries(body)) {
    names.add(name)
    if (isJsonObject(value)) for (const inner of Object.keys(value)) names.add(`${name}.${inner}`)
  }
  return body
}

function without(body: JsonObject, name: string): JsonObject {
  const [first = '', second] = name.split('.')
  const { [first]: value, ...rest } = body
  return second === undefined || !isJsonObject(value) ? rest : { ...rest, [first]: without(value, second) }
}
