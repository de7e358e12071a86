// Customers: what a body must look like, what withholds an endorsement, and where the provider's verdict leads.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Body, Resource } from './answers.ts'
import { business, customerIn, type Fields, individual, pngUri, tokenOf } from './people.ts'
import { type SandboxProcess, startProcess, until } from './sandbox-process.ts'

describe('customers', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startProcess('--kyc-decision-ms', '50')
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

  describe('input', () => {
    const address = individual()['residential_address'] as Fields
    const paper = (fields: Fields) => ({ identifying_information: [fields] })
    const refused: [field: string, changes: Fields][] = [
      ['type', { type: 'robot' }],
      ['type', { type: undefined }],
      ['first_name', { first_name: 'A' }],
      ['last_name', { last_name: 'x'.repeat(1025) }],
      ['last_name', { last_name: 7 }],
      ['email', { email: 'nobody' }],
      ['phone', { phone: '0151 123' }],
      ['birth_date', { birth_date: '15.01.1990' }],
      ['birth_date', { birth_date: '1990-02-30' }],
      ['birth_date', { birth_date: `${new Date().getUTCFullYear() - 17}-01-01` }],
      ['signed_agreement_id', { signed_agreement_id: 'agreed' }],
      ['endorsements.0', { endorsements: ['gold'] }],
      ['residential_address.street_line_1', { residential_address: { ...address, street_line_1: 'x' } }],
      ['residential_address.city', { residential_address: { ...address, city: undefined } }],
      ['residential_address.country', { residential_address: { ...address, country: 'US' } }],
      ['residential_address.country', { residential_address: { ...address, country: 'ZZZ' } }],
      ['residential_address.subdivision', { residential_address: { ...address, subdivision: undefined } }],
      ['residential_address.subdivision', { residential_address: { ...address, subdivision: 'US-NY' } }],
      ['residential_address.postal_code', { residential_address: { ...address, postal_code: undefined } }],
      ['residential_address', { residential_address: 'New York' }],
      ['account_purpose', { account_purpose: 'payroll' }],
      ['employment_status', { employment_status: 'idle' }],
      ['expected_monthly_payments_usd', { expected_monthly_payments_usd: 5000 }],
      ['source_of_funds', { source_of_funds: 'owners_capital' }],
      ['acting_as_intermediary', { acting_as_intermediary: 'no' }],
      ['client_reference_id', { client_reference_id: 'x'.repeat(257) }],
      ['transliterated_first_name', { first_name: 'Ада' }],
      ['nationalities.0', { nationalities: ['German'] }],
      ['place_of_birth.city', { place_of_birth: { country: 'DEU' } }],
      ['identifying_information', { identifying_information: 'ssn' }],
      ['identifying_information.0.type', paper({ type: 'library_card', issuing_country: 'USA' })],
      ['identifying_information.0.issuing_country', paper({ type: 'ssn', number: '1' })],
      ['identifying_information.0.number', paper({ type: 'ssn', issuing_country: 'USA' })],
      ['identifying_information.0.description', paper({ type: 'other', issuing_country: 'USA', number: '1' })],
      [
        'identifying_information.0.expiration',
        paper({ type: 'ssn', issuing_country: 'USA', number: '1', expiration: 'x' }),
      ],
      ['identifying_information.0.image_front', paper({ type: 'visa', issuing_country: 'USA' })],
      ['identifying_information.0.image_front', paper({ type: 'passport', issuing_country: 'USA', image_front: 'x' })],
      [
        'identifying_information.0.image_front',
        paper({ type: 'passport', issuing_country: 'USA', image_front: pngUri(199, 400) }),
      ],
      [
        'identifying_information.0.image_front',
        paper({
          type: 'passport',
          issuing_country: 'USA',
          image_front: pngUri(300, 300).replace('image/png', 'image/jpeg'),
        }),
      ],
      ['documents.0.file', { documents: [{ purposes: ['proof_of_address'], file: 'data:text/html;base64,PGI+' }] }],
      ['documents.0.purposes.0', { documents: [{ purposes: ['holiday'], file: pngUri(200, 200) }] }],
      ['documents.0.description', { documents: [{ purposes: ['other'], file: pngUri(200, 200) }] }],
      [
        'liveness_check_selfies.0.image',
        { liveness_check_selfies: [{ image: 'data:application/pdf;base64,JVBERi0x' }] },
      ],
    ]
    for (const [field, changes] of refused) {
      test(`a bad ${field} is named in the answer: ${JSON.stringify(changes).slice(0, 80)}`, async () => {
        const { status, body } = await sandbox.wire('POST', '/customers', { body: individual(changes) })
        assert.equal(status, 400)
        assert.equal(body.code, 'invalid_parameters')
        assert.deepEqual(Object.keys(body.source.key), [field])
        assert.equal(body.source.location, 'body')
      })
    }

    test('every bad field of a business is named at once', async () => {
      const body = business({ business_type: 'gang', ownership_threshold: 30, expected_monthly_payments_usd: '0_4999' })
      const refused = await sandbox.wire('POST', '/customers', { body })
      assert.deepEqual(Object.keys(refused.body.source.key).sort(), [
        'business_type',
        'expected_monthly_payments_usd',
        'ownership_threshold',
      ])
    })

    test('a controlling person without a title is refused', async () => {
      const [person] = business()['associated_persons'] as [Fields]
      const body = business({ associated_persons: [{ ...person, title: undefined }] })
      const refused = await sandbox.wire('POST', '/customers', { body })
      assert.deepEqual(Object.keys(refused.body.source.key), ['associated_persons.0.title'])
    })

    test('a body that is no JSON object is refused', async () => {
      assert.equal((await sandbox.wire('POST', '/customers', { body: '{"type":' })).body.code, 'invalid_json')
      assert.equal((await sandbox.wire('POST', '/customers', { body: [] })).body.code, 'invalid_parameters')
    })

    test('a second customer with the e-mail of another is refused in any case of letters', async () => {
      const { email } = await create(individual())
      const body = individual({ email: email.toUpperCase() })
      const refused = await sandbox.wire('POST', '/customers', { body })
      assert.equal(refused.status, 400)
      assert.match(refused.body.message, /A customer with this email already exists/)
      const other = await create(individual())
      assert.equal((await sandbox.wire('PUT', `/customers/${other.id}`, { body: { email } })).status, 400)
    })
  })

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
    await sandbox.control('POST', `/tos/${tokenOf(link.url)}/accept`)
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
    const withoutPapers = await create(business({ documents: undefined, associated_persons: undefined }))
    assert.deepEqual(endorsement(withoutPapers, 'base')?.requirements.missing, {
      all_of: ['business_formation_document', 'control_person'],
    })
    await customerIn(sandbox, customer.id, 'active')
  })

  describe('magic e-mails', () => {
    const withSuffix = (suffix: string) => create(individual({ email: `ada-${randomUUID()}+${suffix}@example.com` }))

    test('+reject is rejected with a reason for the developer and one for the customer', async () => {
      const { id } = await withSuffix('reject')
      const rejected = await customerIn(sandbox, id, 'rejected')
      const [reason] = rejected.rejection_reasons
      assert.ok(reason?.developer_reason && reason.reason && reason.created_at)
      assert.equal(endorsement(rejected, 'base')?.status, 'incomplete')
    })

    test('+review stays under review when the decision time is over, until somebody decides', async () => {
      const { id } = await withSuffix('review')
      await until('no decision is due', async () => {
        const { body } = await sandbox.control('GET', '/state')
        return body.pending_tasks.count === 0
      })
      assert.equal((await sandbox.wire('GET', `/customers/${id}`)).body.status, 'under_review')
      await sandbox.control('POST', `/customers/${id}/kyc`, { body: { decision: 'approve' } })
      await customerIn(sandbox, id, 'active')
    })

    test('+document asks for another document once, and the next submission is approved', async () => {
      const { id } = await withSuffix('document')
      const asked = await until('a document is asked for', async () => {
        const { body } = await sandbox.wire('GET', `/customers/${id}`)
        return body.status === 'incomplete' && body
      })
      assert.deepEqual(endorsement(asked, 'base')?.requirements.issues, [{ id_front_photo: 'id_expired' }])
      const { body: renamed } = await sandbox.wire('PUT', `/customers/${id}`, { body: { first_name: 'Augusta' } })
      assert.equal(renamed.status, 'incomplete', 'other data does not cure it')
      const identifying_information = [{ type: 'passport', issuing_country: 'USA', image_front: pngUri(400, 300) }]
      await sandbox.wire('PUT', `/customers/${id}`, { body: { identifying_information } })
      await customerIn(sandbox, id, 'active')
    })

    test('+paused is paused, and the envelope of the event names no status it does not know', async () => {
      const { id } = await withSuffix('paused')
      await customerIn(sandbox, id, 'paused')
      const last = (await eventsOf(id)).at(-1)
      assert.equal(last?.event_object_status, null)
      assert.equal(last?.event_object.status, 'paused')
    })

    test('+revoke is approved first and loses its endorsements later', async () => {
      const { id } = await withSuffix('revoke')
      await until('the endorsement is revoked', async () => {
        const { body } = await sandbox.wire('GET', `/customers/${id}`)
        return endorsement(body, 'base')?.status === 'revoked'
      })
      const statuses = (await eventsOf(id)).map(({ event_object }) => endorsement(event_object, 'base')?.status)
      assert.deepEqual(statuses, ['incomplete', 'approved', 'revoked'])
    })
  })

  describe('verdicts by command', () => {
    const decide = (id: string, body: Fields) => sandbox.control('POST', `/customers/${id}/kyc`, { body })
    const verdicts: [decision: string, status: string][] = [
      ['approve', 'active'],
      ['reject', 'rejected'],
      ['review', 'under_review'],
      ['request_document', 'incomplete'],
      ['pause', 'paused'],
      ['offboard', 'offboarded'],
    ]
    for (const [decision, status] of verdicts) {
      test(`${decision} leads to ${status} at once and overtakes the decision that was due`, async () => {
        const { id } = await create(individual())
        assert.equal((await decide(id, { decision })).body.status, status)
        await until('no decision is due', async () => {
          const { body } = await sandbox.control('GET', '/state')
          return body.pending_tasks.count === 0
        })
        assert.equal((await sandbox.wire('GET', `/customers/${id}`)).body.status, status)
      })
    }

    test('one endorsement can be revoked and granted again', async () => {
      const { id } = await create(individual())
      await customerIn(sandbox, id, 'active')
      const { body: revoked } = await decide(id, { decision: 'revoke_endorsement', endorsement: 'sepa' })
      assert.equal(endorsement(revoked, 'sepa')?.status, 'revoked')
      assert.equal(endorsement(revoked, 'base')?.status, 'approved')
      const { body: granted } = await decide(id, { decision: 'approve', endorsement: 'sepa' })
      assert.equal(endorsement(granted, 'sepa')?.status, 'approved')
    })

    test('the given reason is the developer reason of a rejection', async () => {
      const { id } = await create(individual())
      const { body } = await decide(id, { decision: 'reject', reason: 'Photo of a cat' })
      assert.equal(body.rejection_reasons[0]?.developer_reason, 'Photo of a cat')
    })

    test('unknown customers, decisions and endorsements are refused by code and message', async () => {
      const { id } = await create(individual())
      for (const [target, body, status] of [
        ['nobody', { decision: 'approve' }, 404],
        [id, { decision: 'bless' }, 400],
        [id, {}, 400],
        [id, { decision: 'revoke_endorsement', endorsement: 'cards' }, 400],
      ] as const) {
        const refused = await decide(target, body)
        assert.equal(refused.status, status)
        assert.ok(refused.body.code && refused.body.message)
      }
    })
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

describe('--strict-agreements', () => {
  test('takes only the ids that our own terms page gave out', async () => {
    await using sandbox = await startProcess('--strict-agreements')
    const invented = await sandbox.wire('POST', '/customers', { body: individual() })
    assert.deepEqual(Object.keys(invented.body.source.key), ['signed_agreement_id'])
    const { body: link } = await sandbox.wire('POST', '/customers/tos_links')
    const { body: accepted } = await sandbox.control('POST', `/tos/${tokenOf(link.url)}/accept`)
    const body = individual({ signed_agreement_id: accepted.signed_agreement_id })
    assert.equal((await sandbox.wire('POST', '/customers', { body })).status, 201)
  })
})
