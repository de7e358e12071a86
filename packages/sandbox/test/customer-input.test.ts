// The body of a customer: every bad field is named, and no customer is created from a bad body.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Resource } from './answers.ts'
import { business, type Fields, individual, pngUri } from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

describe('the body of a customer', () => {
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
    ['place_of_birth.country', { place_of_birth: { country: 'DE', city: 'Ulm' } }],
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
    ['liveness_check_selfies.0.image', { liveness_check_selfies: [{ image: 'data:application/pdf;base64,JVBERi0x' }] }],
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

describe('--strict-agreements', () => {
  test('takes only the ids that our own terms page gave out', async () => {
    await using sandbox = await startSandbox({ strictAgreements: true })
    const invented = await sandbox.wire('POST', '/customers', { body: individual() })
    assert.deepEqual(Object.keys(invented.body.source.key), ['signed_agreement_id'])
    const { body: link } = await sandbox.wire('POST', '/customers/tos_links')
    const { body: accepted } = await sandbox.control('POST', '/terms/accept', { body: { link: link.url } })
    const body = individual({ signed_agreement_id: accepted.signed_agreement_id })
    assert.equal((await sandbox.wire('POST', '/customers', { body })).status, 201)
  })
})
