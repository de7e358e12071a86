// Terms and KYC links: agreements, duplicates, and the customer of a finished link.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Resource } from './answers.ts'
import { type Fields, individual } from './people.ts'
import { type Sandbox, startSandbox, until } from './sandbox.ts'

describe('hosted onboarding', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 50 })
  })
  after(() => sandbox.stop())

  const accept = (link: string) => sandbox.control('POST', '/terms/accept', { body: { link: link } })
  const newLink = async (fields: Fields = {}): Promise<Resource> => {
    const body = { email: `bob-${randomUUID()}@example.com`, type: 'individual', full_name: 'Bob Marley', ...fields }
    const { status, body: link } = await sandbox.wire('POST', '/kyc_links', { body })
    assert.equal(status, 200, JSON.stringify(link))
    return link
  }
  const finish = async (link: string, outcome: string): Promise<number> => {
    const response = await fetch(link, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: sandbox.url },
      body: JSON.stringify({ outcome }),
    })
    return response.status
  }
  const linkAt = (id: string, kycStatus: string): Promise<Resource> =>
    until(`the link is ${kycStatus}`, async () => {
      const { body } = await sandbox.wire('GET', `/kyc_links/${id}`)
      return body.kyc_status === kycStatus && body
    })

  test('accepting the terms twice yields the same agreement and makes no second one', async () => {
    const { body: link } = await sandbox.wire('POST', '/customers/tos_links')
    assert.match(link.url, /\/accept-terms-of-service\?session_token=[0-9a-f-]{36}$/)
    const first = await accept(link.url)
    assert.equal(first.status, 200)
    assert.deepEqual(await accept(link.url), first)
    const { body: state } = await sandbox.control('GET', '/state')
    assert.equal(state.agreements.ids.filter((id) => id === first.body.signed_agreement_id).length, 1)
    for (const [wrong, status] of [
      [`${sandbox.url}/accept-terms-of-service?session_token=${randomUUID()}`, 404],
      [sandbox.url, 404],
      ['accept-terms-of-service', 400],
      [undefined, 400],
    ] as const) {
      assert.equal((await sandbox.control('POST', '/terms/accept', { body: { link: wrong } })).status, status, wrong)
    }
  })

  test('a new link has no customer and waits for terms and verification', async () => {
    const link = await newLink()
    assert.deepEqual([link.customer_id, link.kyc_status, link.tos_status], [null, 'not_started', 'pending'])
    assert.match(link.kyc_link, /\/verify\?reference-id=[0-9a-f-]{36}$/)
    assert.deepEqual((await sandbox.wire('GET', `/kyc_links/${link.id}`)).body, link)
  })

  test('a second link for an e-mail is a duplicate that carries the first one', async () => {
    const link = await newLink()
    const body = { email: link.email.toUpperCase(), type: 'individual' }
    const { status, body: refused } = await sandbox.wire('POST', '/kyc_links', { body })
    assert.equal(status, 400)
    assert.equal(refused.code, 'duplicate_record')
    assert.deepEqual(refused.existing_kyc_link, link)
  })

  test('the verification does not finish before the terms are accepted', async () => {
    const link = await newLink()
    assert.notEqual(await finish(link.kyc_link, 'approve'), 200)
    assert.equal((await sandbox.wire('GET', `/kyc_links/${link.id}`)).body.customer_id, null)
  })

  test('terms and verification make a customer, who is approved with the link', async () => {
    const link = await newLink({ endorsements: ['base', 'spei'] })
    await accept(link.tos_link)
    const accepted = (await sandbox.wire('GET', `/kyc_links/${link.id}`)).body
    assert.deepEqual([accepted.tos_status, accepted.customer_id], ['approved', null])
    assert.equal(await finish(link.kyc_link, 'approve'), 200)
    const approved = await linkAt(link.id, 'approved')
    const { body: customer } = await sandbox.wire('GET', `/customers/${approved.customer_id}`)
    assert.deepEqual([customer.status, customer.first_name, customer.last_name], ['active', 'Bob', 'Marley'])
    assert.deepEqual(
      customer.endorsements.map(({ name, status }) => [name, status]),
      [
        ['base', 'approved'],
        ['spei', 'approved'],
      ],
    )
    const { body: events } = await sandbox.control('GET', '/events')
    const ofLink = events.data.filter((event) => event.event_object_id === link.id)
    assert.deepEqual(
      ofLink.map((event) => [event.event_type, event.event_object.kyc_status]),
      [
        ['kyc_link.created', 'not_started'],
        ['kyc_link.updated', 'not_started'],
        ['kyc_link.updated.status_transitioned', 'under_review'],
        ['kyc_link.updated.status_transitioned', 'approved'],
      ],
    )
    const found = await sandbox.wire('GET', `/kyc_links?customer_id=${approved.customer_id}`)
    assert.deepEqual(found.body.data, [approved])
  })

  const outcomes: [outcome: string, kycStatus: string][] = [
    ['reject', 'rejected'],
    ['request_document', 'incomplete'],
  ]
  for (const [outcome, kycStatus] of outcomes) {
    test(`the outcome ${outcome} of the page shows as ${kycStatus}, and a second try can end well`, async () => {
      const link = await newLink()
      await accept(link.tos_link)
      await finish(link.kyc_link, outcome)
      const ended = await linkAt(link.id, kycStatus)
      assert.equal(ended.rejection_reasons.length, outcome === 'reject' ? 1 : 0)
      await finish(link.kyc_link, 'approve')
      await linkAt(link.id, 'approved')
    })
  }

  test("an existing customer's link for one endorsement grants that endorsement", async () => {
    const body = individual({ endorsements: ['base'] })
    const { body: customer } = await sandbox.wire('POST', '/customers', { body })
    const path = `/customers/${customer.id}/kyc_link?endorsement=sepa&redirect_uri=https%3A%2F%2Fexample.com%2Fback`
    const { body: link } = await sandbox.wire('GET', path)
    assert.equal(await finish(link.url, 'approve'), 200)
    await until('sepa is approved', async () => {
      const { body: now } = await sandbox.wire('GET', `/customers/${customer.id}`)
      return now.endorsements.some(({ name, status }) => name === 'sepa' && status === 'approved')
    })
  })

  test('a link for the e-mail of an active customer is approved from the start', async () => {
    const { body: customer } = await sandbox.wire('POST', '/customers', { body: individual() })
    await sandbox.control('POST', `/customers/${customer.id}/kyc`, { body: { decision: 'approve' } })
    const link = await newLink({ email: customer.email })
    assert.deepEqual([link.customer_id, link.kyc_status, link.tos_status], [customer.id, 'approved', 'approved'])
  })

  test('bad input is named: e-mail, type, redirect, endorsement of the query', async () => {
    const cases: [Fields, string][] = [
      [{ type: 'individual' }, 'email'],
      [{ email: 'a@example.com' }, 'type'],
      [{ email: 'a@example.com', type: 'individual', redirect_uri: 'javascript:alert(1)' }, 'redirect_uri'],
    ]
    for (const [body, field] of cases) {
      const refused = await sandbox.wire('POST', '/kyc_links', { body })
      assert.deepEqual([refused.status, Object.keys(refused.body.source.key)], [400, [field]])
    }
    const { body: customer } = await sandbox.wire('POST', '/customers', { body: { type: 'individual' } })
    for (const query of ['endorsement=gold', 'redirect_uri=ftp%3A%2F%2Fexample.com']) {
      const refused = await sandbox.wire('GET', `/customers/${customer.id}/kyc_link?${query}`)
      assert.deepEqual([refused.status, refused.body.source.location], [400, 'query'])
    }
    assert.equal((await sandbox.wire('GET', '/kyc_links/unknown')).status, 404)
  })
})
