// Stories of people and companies: the key, the terms, and the way to a verdict.

import assert from 'node:assert/strict'
import { remedyOfRejection, remedyOfRequirement } from '../../../src/end-users/kyc/requirements.rules.ts'
import type { Person, Standing } from '../../../src/provider/port.ts'
import { officer, owner } from '../../people.ts'
import { failureOf } from '../../provider-world.ts'
import { type Story, story } from '../contract.ts'
import { eachLoss } from '../lost-writes.ts'
import { approved, companyBody, customer, freshMail, freshWrite, standingUntil, type World } from '../worlds.ts'

const keyAndTerms: Story[] = [
  story(1, 'the key is accepted, and a wrong one is refused as nothing else is', ['ping'], async (world) => {
    await world.provider.ping()
    assert.ok(world.wire.calls.length > 0, 'a ping asks the provider')
    const failure = await failureOf(world.adapter({ apiKey: 'wrong-key-of-nobody' }).ping())
    assert.equal(failure.kind, 'unauthorized')
    assert.ok(!`${failure.message} ${failure.cause}`.includes('wrong-key'), 'a failure does not repeat the key')
  }),
  story(2, 'an agreement counts once it is signed', ['terms', 'customers'], async (world) => {
    const { terms, customers } = world.provider
    await eachLoss(world, 'tos_link.create', async (lose) => {
      const link = await lose((write, provider) => provider.terms.createLink(write))
      assert.ok(await world.control.acceptTerms(link.url), 'the link of a repeat leads to the terms')
    })
    const { url } = await terms.createLink(freshWrite())
    assert.match(new URL(url).protocol, /^https?:$/)
    const back = terms.withReturn?.(url, 'https://example.com/back?a=b&c=d') ?? url
    const { id, standing, submission } = await customer(world)
    assert.notEqual(standing.hasAcceptedTerms, false, 'a signed agreement counts')
    const unsigned = { ...submission, body: { ...submission.body, email: `${freshMail()}@example.com` } }
    const failure = await failureOf(customers.create({ ...unsigned, agreement: 'never-signed' }, freshWrite()))
    assert.equal(failure.kind, 'rejected')
    assert.equal(failure.refusal, 'agreement_invalid')
    // The link with another return address leads to the same terms.
    const agreement = await world.control.acceptTerms(back)
    assert.equal(await world.control.acceptTerms(url), agreement, 'accepted twice, it is one agreement')
    const created = await customers.create({ ...unsigned, agreement }, freshWrite())
    assert.notEqual(created.hasAcceptedTerms, false)
    assert.notEqual(created.id, id)
    const without = { ...unsigned, body: { ...submission.body, email: `${freshMail()}@example.com` }, agreement: null }
    const newcomer = await customers.create(without, freshWrite())
    assert.notEqual(newcomer.hasAcceptedTerms, true)
    if (terms.linkOfCustomer) await world.control.acceptTerms((await terms.linkOfCustomer(newcomer.id)).url)
    else {
      const later = await world.control.acceptTerms((await terms.createLink(freshWrite())).url)
      const current = { type: 'individual', agreement: null } as const
      const { isAgreed } = await customers.change(newcomer.id, { ...without, agreement: later }, current, freshWrite())
      assert.ok(isAgreed, 'the change has taken the new agreement')
    }
    assert.notEqual((await customers.read(newcomer.id)).hasAcceptedTerms, false)
  }),
]

const people: Story[] = [
  story(3, 'a person goes from all data through the review to the approval', ['customers'], async (world) => {
    const { customers } = world.provider
    const seen: Standing[] = []
    const look = async (id: string) => void seen.push(await customers.read(id))
    const { id, email, standing, submission } = await customer(world)
    assert.ok(standing.verdict === 'under_review', standing.verdict)
    assert.ok(standing.reference === null || standing.reference === submission.reference)
    assert.notEqual(standing.rails('under_review').usd, 'active', 'no rail is open before the approval')
    await look(id)
    await world.control.decideKyc(id, { decision: 'approve' })
    await standingUntil(world.provider, id, 'approved')
    await look(id)
    const [before, after] = seen
    assert.equal(before?.verdict, 'under_review')
    assert.equal(after?.rails('approved').usd, 'active')
    assert.deepEqual(after?.asks.due, [])
    assert.ok((after?.asOfMs ?? 0) >= (before?.asOfMs ?? 0), 'the time of a standing never falls')
    assert.deepEqual(
      (await customers.findByEmail(email.toUpperCase())).map((found) => found.id),
      [id],
    )
    assert.deepEqual(await customers.findByEmail(email.slice(0, -1)), [], 'a part of an address finds nobody')
    assert.equal((await failureOf(customers.read('nobody-at-all'))).kind, 'not_found')
  }),
  story(4, 'what a person lacks is named in our words, sent, and approved', ['customers'], async (world) => {
    const { customers } = world.provider
    for (const [field, name] of missing) {
      const { id, standing, whole, current } = await customer(world, { [field]: undefined })
      assert.equal(standing.verdict, 'action_required', field)
      assert.ok(standing.asks.due.includes(name), `${field}: ${standing.asks.due}`)
      const remedy = remedyOfRequirement(name)
      assert.ok(remedy.by === 'fields' && remedy.fields.includes(field), `${name} is met by ${field}`)
      const changed = await customers.change(id, whole, current, freshWrite())
      assert.equal(changed.standing.verdict, 'under_review', field)
      assert.ok(!changed.standing.asks.due.includes(name), field)
      await world.control.decideKyc(id, { decision: 'approve' })
      await standingUntil(world.provider, id, 'approved')
    }
  }),
  story(5, 'a photo is asked for again, and a refusal is final', ['customers'], async (world) => {
    const { customers } = world.provider
    const { id, whole, current } = await customer(world)
    await world.control.decideKyc(id, { decision: 'request_document' })
    const asked = await customers.read(id)
    assert.equal(asked.verdict, 'action_required')
    const [wrong] = asked.asks.wrong
    assert.ok(wrong, 'the provider names what is wrong')
    assert.ok(remedyOfRequirement(wrong.requirement).by === 'fields', wrong.requirement)
    const again = await customers.change(id, whole, current, freshWrite())
    assert.equal(again.standing.verdict, 'under_review')
    assert.deepEqual(again.standing.asks.wrong, [])
    const secret = 'ZqDeveloperReason'
    await world.control.decideKyc(id, { decision: 'reject', reason: secret })
    const refused = await customers.read(id)
    assert.equal(refused.verdict, 'rejected')
    assert.notEqual(refused.rails('rejected').usd, 'active')
    assert.ok(refused.reasons.length > 0)
    assert.ok(!JSON.stringify(refused).includes(secret), 'a reason for the developer is not for the end-user')
    assert.ok(['nobody', 'fields'].includes(remedyOfRejection(refused.reasons[0] ?? '').by))
    await assertDecisions(world)
  }),
  story(6, 'no person of a company is there twice', ['customers'], async (world) => {
    const { customers } = world.provider
    const persons = [officer, owner].map((person) => ({ ...person, email: `${freshMail()}@example.com` }))
    const { id } = await customer(world, { associated_persons: persons }, companyBody)
    const emails = async () => (await customers.people.list(id)).map(({ email }) => email).toSorted()
    const expected = persons.map(({ email }) => email).toSorted()
    assert.deepEqual(await emails(), expected)
    const second = (await customers.people.list(id)).find(({ email }) => email === persons[1]?.email)
    assert.ok(second)
    const changed = await customers.people.change(id, second.id, { ...owner, email: second.email, title: 'Owner' })
    assert.equal(changed.id, second.id)
    assert.deepEqual(await emails(), expected)
    await eachLoss(world, 'associated_person.create', async (lose, how) => {
      const email = `${freshMail()}@example.com`
      const before = await customers.people.list(id)
      const isNew = (person: Person) => person.email === email && !before.some((known) => known.id === person.id)
      const added = await lose(
        (write, provider) => provider.customers.people.add(id, { ...owner, email }, write),
        async () => (await customers.people.list(id)).find(isNew) ?? null,
      )
      const after = await customers.people.list(id)
      assert.deepEqual(after.filter(isNew), [added], how)
      assert.equal(after.length, before.length + 1, how)
    })
    await world.control.decideKyc(id, { decision: 'approve' })
    await standingUntil(world.provider, id, 'approved')
  }),
]

/** Later decisions of the provider, which end an approval or keep it. */
async function assertDecisions(world: World<'customers'>): Promise<void> {
  for (const [decision, expected] of Object.entries(world.candidate.decisions)) {
    const { id } = await approved(world)
    await world.control.decideKyc(id, { decision })
    const standing = await world.provider.customers.read(id)
    const { verdict, pause, asks, later } = standing
    const found = {
      ...(expected.verdict && { verdict }),
      ...(expected.pause !== undefined && { pause }),
      ...(expected.due && { due: asks.due.find((name) => name === expected.due) }),
      ...(expected.later && { later: later.some(({ due, from }) => due.length > 0 && from !== null) }),
      ...(expected.usd && verdict !== 'unknown' && { usd: standing.rails(verdict).usd }),
    }
    assert.deepEqual(found, expected, decision)
  }
}

/** A field of our form, and the name by which the catalogue calls its absence. */
const missing = [
  ['birth_date', 'date_of_birth'],
  ['residential_address', 'address_of_residence'],
  ['first_name', 'first_name'],
  ['last_name', 'last_name'],
  ['identifying_information', 'tax_identification_number'],
] as const

export const customerStories: readonly Story[] = [...keyAndTerms, ...people]
