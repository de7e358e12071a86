// Customers: missing requirements of endorsements, and the way from submitted data to an active customer.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Body, Resource } from './answers.ts'
import { business, customerIn, type Fields, individual, pngUri } from './people.ts'
import { type Sandbox, startSandbox, until } from './sandbox.ts'

describe('customers', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 50 })
  })
  after(() => sandbox.stop())

  const create = async (body: Fields): Promise<Resource> => {
    const created = await sandbox.wire('POST', '/customers', { body })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    return created.body
  }
  const endorsement = (customer: Resource, name: string) => customer.endorsements.find((held) => held.name === name)
  const eventsOf = async (id: string): Promise<Body[]> =>
    (await sandbox.control('GET', '/events')).body.data.filter((event) => event.event_object_id === id)

  test('type alone makes a customer, whose endorsements say what is missing', async () => {
    const customer = await create({ type: 'individual' })
    assert.equal(customer.status, 'incomplete')
    assert.deepEqual(
      customer.endorsements.map(({ name, status }) => [name, status]),
      [
        ['base', 'incomplete'],
        ['sepa', 'incomplete'],
      ],
    )
    assert.deepEqual(endorsement(customer, 'base')?.requirements, {
      complete: [],
      pending: [],
      missing: {
        all_of: [
          'terms_of_service_v1',
          'government_id_verification',
          'first_name',
          'last_name',
          'email_address',
          'address_of_residence',
          'date_of_birth',
          'tax_identification_number',
        ],
      },
      issues: [],
    })
  })

  test('a complete customer is under review with pending checks, and active after the decision time', async () => {
    const created = await create(individual())
    assert.equal(created.status, 'under_review')
    const base = endorsement(created, 'base')
    assert.equal(base?.status, 'incomplete')
    assert.equal(base?.requirements.missing, null)
    assert.ok(base?.requirements.pending.includes('sanctions_screen'))

    const active = await customerIn(sandbox, created.id, 'active')
    assert.equal(endorsement(active, 'base')?.status, 'approved')
    assert.equal(endorsement(active, 'sepa')?.status, 'approved')
    assert.equal(endorsement(active, 'spei'), undefined, 'an endorsement that nobody asked for is not granted')
    const events = await eventsOf(created.id)
    assert.deepEqual(
      events.map((event) => [event.event_type, event.event_object_status]),
      [
        ['customer.created', 'under_review'],
        ['customer.updated.status_transitioned', 'active'],
      ],
    )
    assert.deepEqual(events[1]?.event_object_changes['status'], ['under_review', 'active'])
    assert.deepEqual(events[1]?.event_object, active)
  })

  test('outside the USA a photo id is needed beside the tax number', async () => {
    const residential_address = {
      street_line_1: 'Unter den Linden 1',
      city: 'Berlin',
      postal_code: '10117',
      country: 'DEU',
    }
    const tax = { type: 'steuer_id', issuing_country: 'DEU', number: '12345678903' }
    const customer = await create(individual({ residential_address, identifying_information: [tax] }))
    assert.deepEqual(endorsement(customer, 'base')?.requirements.missing, { all_of: ['government_id_verification'] })
    const passport = { type: 'passport', issuing_country: 'deu', image_front: pngUri(640, 480) }
    const { body } = await sandbox.wire('PUT', `/customers/${customer.id}`, {
      body: { identifying_information: [passport] },
    })
    assert.equal(body.status, 'under_review')
    await customerIn(sandbox, customer.id, 'active')
  })

  test('the terms can be accepted after the data, which then suffices', async () => {
    const customer = await create(individual({ signed_agreement_id: undefined }))
    assert.equal(customer.status, 'incomplete')
    assert.equal(customer.has_accepted_terms_of_service, false)
    const { body: link } = await sandbox.wire('GET', `/customers/${customer.id}/tos_acceptance_link`)
    assert.match(link.url, /\/accept-terms-of-service\?email=ada-.*%40example\.com&t=[0-9a-f-]{36}$/)
    await sandbox.control('POST', '/terms/accept', { body: { link: link.url } })
    const active = await customerIn(sandbox, customer.id, 'active')
    assert.equal(active.has_accepted_terms_of_service, true)
  })

  test('an endorsement asked for later is granted while the customer stays active', async () => {
    const { id } = await create(individual({ endorsements: ['base'] }))
    await customerIn(sandbox, id, 'active')
    const { body: asked } = await sandbox.wire('PUT', `/customers/${id}`, { body: { endorsements: ['spei'] } })
    assert.equal(asked.status, 'active')
    assert.equal(endorsement(asked, 'spei')?.status, 'incomplete')
    await until('spei is approved', async () => {
      const { body } = await sandbox.wire('GET', `/customers/${id}`)
      assert.equal(body.status, 'active')
      return endorsement(body, 'spei')?.status === 'approved'
    })
  })

  test('a business is judged like a person, shows its legal name as first name and lists its persons', async () => {
    const customer = await create(business())
    assert.equal(customer.status, 'under_review')
    assert.equal(customer.first_name, 'Analytical Engines Inc.')
    assert.equal(customer.last_name, null)
    assert.deepEqual(
      customer.associated_persons.map(({ email }) => email),
      ['charles@example.com'],
    )
    const withoutPapers = await create(business({ documents: [], associated_persons: [] }))
    assert.deepEqual(endorsement(withoutPapers, 'base')?.requirements.missing, {
      all_of: ['business_formation_document', 'control_person'],
    })
    await customerIn(sandbox, customer.id, 'active')
  })

  test('simulate_kyc_approval approves what is incomplete but leaves the terms to the customer', async () => {
    const { id } = await create({ type: 'individual', endorsements: ['base', 'spei'] })
    const { status, body } = await sandbox.wire('POST', `/customers/${id}/simulate_kyc_approval`)
    assert.equal(status, 200)
    assert.deepEqual({ ...body, message: '' }, { success: true, customer_id: id, kyc_status: 'approved', message: '' })
    const customer = await customerIn(sandbox, id, 'active')
    assert.equal(endorsement(customer, 'spei')?.status, 'approved')
    assert.equal(customer.has_accepted_terms_of_service, false)
  })

  test('a deleted customer is gone, its e-mail is free again, and the deletion is announced', async () => {
    const { id, email } = await create(individual())
    assert.equal((await sandbox.wire('DELETE', `/customers/${id}`)).status, 200)
    const gone = await sandbox.wire('GET', `/customers/${id}`)
    assert.deepEqual([gone.status, gone.body], [404, { code: 'Invalid', message: 'Unknown customer id' }])
    assert.equal((await eventsOf(id)).at(-1)?.event_type, 'customer.deleted')
    await create(individual({ email }))
  })

  test('a customer is found by e-mail', async () => {
    const { id, email } = await create(individual())
    const { body } = await sandbox.wire('GET', `/customers?email=${encodeURIComponent(email.toUpperCase())}`)
    assert.deepEqual([body.count, body.data.map((customer) => customer.id)], [1, [id]])
  })
})
