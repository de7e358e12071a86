// A business from its first submission to its first account, and its persons: what each body changes, and which
// requirements are missing.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Body, Resource } from './answers.ts'
import {
  accountBody,
  associatedPerson,
  business,
  customerIn,
  deposit,
  depositAt,
  type Fields,
  individual,
  pngUri,
} from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

describe('a business', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 20, depositStepMs: 1 })
  })
  after(() => sandbox.stop())

  const base = (customer: Resource) => customer.endorsements.find(({ name }) => name === 'base')

  test('is checked, approved and takes a deposit in its own name', async () => {
    const { status, body: created } = await sandbox.wire('POST', '/customers', { body: business() })
    assert.deepEqual([status, created.type, created.status], [201, 'business', 'under_review'])
    assert.deepEqual([created.first_name, created.last_name], ['Analytical Engines Inc.', null])
    assert.ok(base(created)?.requirements.pending.includes('kyb_review'))
    const [person] = created.associated_persons
    assert.equal(person?.email, 'charles@example.com')
    const approved = await customerIn(sandbox, created.id, 'active')
    assert.ok(approved.endorsements.every((endorsement) => endorsement.status === 'approved'))
    const complete = base(approved)?.requirements.complete ?? []
    const items = complete.find((item) => Object(item).associated_person === person?.id)
    assert.deepEqual(Object(items).items, [
      'first_name',
      'last_name',
      'email_address',
      'address_of_residence',
      'date_of_birth',
      'tax_identification_number',
      'has_control',
      'has_title',
    ])
    const path = `/customers/${created.id}/virtual_accounts`
    const { body: account } = await sandbox.wire('POST', path, { body: accountBody('usd') })
    assert.equal(account.source_deposit_instructions['bank_beneficiary_name'], 'Analytical Engines Inc.')
    await depositAt(sandbox, await deposit(sandbox, account, { amount: '100.00' }), 'payment_processed')
  })

  test('lacks what it did not hand in, by name, until it does', async () => {
    const body = business({ documents: [], associated_persons: [] })
    const { documents } = business()
    const { body: created } = await sandbox.wire('POST', '/customers', { body })
    assert.equal(created.status, 'incomplete')
    assert.deepEqual(base(created)?.requirements.missing, { all_of: ['business_formation_document', 'control_person'] })
    const path = `/customers/${created.id}`
    const { body: documented } = await sandbox.wire('PUT', path, { body: { documents } })
    assert.deepEqual(base(documented)?.requirements.missing, { all_of: ['control_person'] })
    const add = (person: Fields) => sandbox.wire('POST', `${path}/associated_persons`, { body: person })
    assert.equal((await add(associatedPerson({ has_control: false }))).status, 201)
    const { body: owned } = await sandbox.wire('GET', path)
    assert.deepEqual(base(owned)?.requirements.missing, { all_of: ['control_person'] }, 'an owner is not in control')
    assert.equal((await add(associatedPerson({ has_ownership: false }))).status, 201)
    await customerIn(sandbox, created.id, 'active')
  })

  test('is asked for a current formation document, and a new one cures it', async () => {
    const { body: created } = await sandbox.wire('POST', '/customers', { body: business() })
    const decision = { decision: 'request_document' }
    const { body: asked } = await sandbox.control('POST', `/customers/${created.id}/kyc`, { body: decision })
    assert.deepEqual(base(asked)?.requirements.issues, [{ business_formation_document: 'document_expired' }])
    const documents = [{ purposes: ['business_formation'], file: pngUri(300, 200) }]
    const { body: cured } = await sandbox.wire('PUT', `/customers/${created.id}`, { body: { documents } })
    assert.deepEqual([cured.status, base(cured)?.requirements.issues], ['under_review', []])
    await customerIn(sandbox, created.id, 'active')
  })
})

const proofOfAddress = { documents: [{ purposes: ['proof_of_address'], file: pngUri(300, 200) }] }

describe('a company', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 1 })
  })
  after(() => sandbox.stop())

  const create = async (changes: Fields = {}): Promise<Body> => {
    const created = await sandbox.wire('POST', '/customers', { body: business(changes) })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    return created.body
  }
  const put = (id: string, body: Fields) => sandbox.wire('PUT', `/customers/${id}`, { body })
  const peopleOf = async (id: string) => (await sandbox.wire('GET', `/customers/${id}/associated_persons`)).body.data
  const add = (id: string, person: Fields) =>
    sandbox.wire('POST', `/customers/${id}/associated_persons`, { body: person })
  const base = async (id: string) => {
    const { body } = await sandbox.wire('GET', `/customers/${id}`)
    return body.endorsements.find(({ name }) => name === 'base')?.requirements
  }
  const tagged = (tag: string) => ({ email: `office-${randomUUID()}+${tag}@example.com` })

  test('is created and changed by any part of it', async () => {
    const created = await sandbox.wire('POST', '/customers', {
      body: { type: 'business', business_legal_name: 'Engines', incorporation_date: '2020-02-29' },
    })
    assert.deepEqual([created.status, created.body.status], [201, 'incomplete'])
    const change = { type: 'business', business_trade_name: 'Works', expected_monthly_payments_usd: 7_000 }
    assert.equal((await put(created.body.id, change)).status, 200)
    const range = { ...change, expected_monthly_payments_usd: '5000_9999' }
    const refused = await put(created.body.id, range)
    assert.deepEqual(Object.keys(refused.body.source.key), ['expected_monthly_payments_usd'])
  })

  const whole = async (isOn: boolean) => await sandbox.control('POST', '/behaviour', { body: { company_whole: isOn } })

  test('in the form of 2025 is created with its seventeen fields and not with sixteen', async () => {
    await whole(true)
    const { body } = await sandbox.wire('POST', '/customers', { body: { type: 'business' } })
    const required = Object.keys(body.source.key)
    assert.equal(required.length, 16, 'all but the type')
    for (const field of required) {
      const refused = await sandbox.wire('POST', '/customers', { body: business({ [field]: undefined }) })
      assert.deepEqual([refused.status, Object.keys(refused.body.source.key)], [400, [field]])
    }
    await whole(false)
  })

  test('in the form of 2025 is changed with its type by the whole body only, and its people stay as they are', async () => {
    await whole(true)
    const { id, email } = await create()
    const people = await peopleOf(id)
    const refused = await put(id, { type: 'business', business_trade_name: 'Works' })
    assert.equal(Object.keys(refused.body.source.key).length, 15)
    const all = business({
      email,
      business_legal_name: 'Works Ltd.',
      associated_persons: [associatedPerson(), associatedPerson()],
    })
    const changed = await put(id, all)
    assert.deepEqual([changed.status, changed.body.first_name], [200, 'Works Ltd.'])
    assert.deepEqual(await peopleOf(id), people)
    assert.equal((await put(id, { type: 'individual' })).status, 400)
    await whole(false)
  })

  test('without its type it is changed in part: no people, no papers of identity, a range of payments', async () => {
    const { id } = await create({ expected_monthly_payments_usd: 20_000 })
    const changes = { expected_monthly_payments_usd: '10000_49999', account_purpose: 'payroll', endorsements: ['spei'] }
    const changed = await put(id, changes)
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    assert.ok(changed.body.endorsements.some(({ name }) => name === 'spei'))
    for (const body of [
      { expected_monthly_payments_usd: 20_000 },
      { associated_persons: [associatedPerson()] },
      { identifying_information: [] },
      { email: 'other@example.com' },
    ]) {
      const refused = await put(id, body)
      assert.equal(refused.status, 400, JSON.stringify(body))
      assert.deepEqual(Object.keys(refused.body.source.key), Object.keys(body))
    }
  })

  test('has its people listed, read, added, changed and removed, and the customer shows them', async () => {
    const { id } = await create()
    const [first] = await peopleOf(id)
    assert.ok(first)
    assert.deepEqual(
      Object.keys(first),
      'id email first_name last_name has_ownership has_control is_signer title created_at updated_at'.split(' '),
    )
    assert.ok(Number.isInteger(first.created_at))
    const key = randomUUID()
    const person = associatedPerson({ first_name: 'X', email: 'ada@example.com', has_control: false, is_signer: false })
    const path = `/customers/${id}/associated_persons`
    const added = await sandbox.wire('POST', path, { body: person, key })
    assert.equal(added.status, 201)
    assert.deepEqual((await sandbox.wire('POST', path, { body: person, key })).body, added.body)
    assert.equal((await sandbox.wire('POST', path, { body: person, key: null })).status, 400)
    const item = `${path}/${added.body.id}`
    assert.deepEqual((await sandbox.wire('GET', item)).body, added.body)
    const renamed = await sandbox.wire('PUT', item, { body: { ...person, last_name: 'Byron' } })
    assert.deepEqual([renamed.status, renamed.body.last_name, renamed.body.id], [200, 'Byron', added.body.id])
    const { body: customer } = await sandbox.wire('GET', `/customers/${id}`)
    assert.deepEqual(customer.associated_persons, [
      { id: first.id, email: first.email },
      { id: added.body.id, email: 'ada@example.com' },
    ])
    assert.deepEqual((await sandbox.wire('DELETE', item)).body, renamed.body)
    assert.equal((await sandbox.wire('GET', item)).status, 404)
    assert.equal((await peopleOf(id)).length, 1)
  })

  test('has times of its people as ISO texts where the provider answers like that', async () => {
    const { id } = await create()
    await sandbox.control('POST', '/behaviour', { body: { person_times_iso: true } })
    const [person] = await peopleOf(id)
    await sandbox.control('POST', '/behaviour', { body: { person_times_iso: false } })
    assert.match(String(person?.created_at), /^\d{4}-\d{2}-\d{2}T.*Z$/)
  })

  test('keeps at least one signer', async () => {
    const { id } = await create()
    const [signer] = await peopleOf(id)
    const item = `/customers/${id}/associated_persons/${signer?.id}`
    const removed = await sandbox.wire('DELETE', item)
    assert.deepEqual([removed.status, removed.body.code], [400, 'bad_customer_request'])
    const resigned = await sandbox.wire('PUT', item, { body: associatedPerson({ is_signer: false }) })
    assert.deepEqual([resigned.status, Object.keys(resigned.body.source.key)], [400, ['is_signer']])
    assert.equal((await add(id, associatedPerson({ has_control: false }))).status, 201)
    assert.equal((await sandbox.wire('DELETE', item)).status, 200)
    assert.equal((await peopleOf(id)).length, 1)
  })

  test('refuses a person who is not whole, and a person of an individual or of another company', async () => {
    const { id } = await create()
    const [person] = await peopleOf(id)
    const item = `/customers/${id}/associated_persons/${person?.id}`
    const partial = await sandbox.wire('PUT', item, { body: { first_name: 'Ada' } })
    assert.deepEqual([partial.status, Object.keys(partial.body.source.key).length], [400, 8])
    const untitled = await sandbox.wire('PUT', item, { body: associatedPerson({ title: undefined }) })
    assert.deepEqual(Object.keys(untitled.body.source.key), ['title'])
    const { body: someone } = await sandbox.wire('POST', '/customers', { body: individual() })
    assert.equal((await add(someone.id, associatedPerson())).body.code, 'bad_customer_request')
    assert.deepEqual(await peopleOf(someone.id), [])
    const other = await create()
    assert.equal((await sandbox.wire('GET', `/customers/${other.id}/associated_persons/${person?.id}`)).status, 404)
    assert.equal((await sandbox.wire('GET', '/customers/nobody/associated_persons')).status, 404)
  })

  for (const way of ['by the magic e-mail', 'by command'] as const) {
    const isMagic = way === 'by the magic e-mail'
    const asked = async (tag: string, decision: string): Promise<string> => {
      const { id } = await create(isMagic ? tagged(tag) : {})
      if (!isMagic) await sandbox.control('POST', `/customers/${id}/kyc`, { body: { decision } })
      return id
    }

    test(`awaits its owner ${way} until one is added, and is active then`, async () => {
      const id = await asked('ubo', 'request_ubo')
      await customerIn(sandbox, id, 'awaiting_ubo')
      assert.deepEqual((await base(id))?.missing, { all_of: ['associated_person_relationship'] })
      await add(id, associatedPerson({ has_ownership: false, has_control: false, is_signer: false }))
      assert.equal((await sandbox.wire('GET', `/customers/${id}`)).body.status, 'awaiting_ubo', 'no owner yet')
      assert.equal((await add(id, associatedPerson({ has_control: false }))).status, 201)
      await customerIn(sandbox, id, 'active')
    })

    test(`awaits its owner ${way} until the structure is attested, and is active then`, async () => {
      const id = await asked('ubo', 'request_ubo')
      await customerIn(sandbox, id, 'awaiting_ubo')
      const [person] = await peopleOf(id)
      const attested = associatedPerson({
        attested_ownership_structure_at: '2026-11-01T00:00:00.000Z',
        has_ownership: false,
      })
      const item = `/customers/${id}/associated_persons/${person?.id}`
      const { body } = await sandbox.wire('PUT', item, { body: attested })
      assert.equal(Reflect.get(body, 'attested_ownership_structure_at'), '2026-11-01T00:00:00.000Z')
      await customerIn(sandbox, id, 'active')
    })

    test(`lacks one more document of its owner ${way} until a PUT of that person brings it`, async () => {
      const id = await asked('ownerdocument', 'request_owner_document')
      const [owner] = await peopleOf(id)
      await customerIn(sandbox, id, 'incomplete')
      const lack = { associated_person: owner?.id, items: ['proof_of_address'] }
      assert.deepEqual((await base(id))?.missing, { all_of: [lack] })
      const item = `/customers/${id}/associated_persons/${owner?.id}`
      assert.equal((await sandbox.wire('PUT', item, { body: associatedPerson() })).status, 200)
      assert.deepEqual((await base(id))?.missing, { all_of: [lack] }, 'nothing new was handed in')
      await add(id, associatedPerson({ ...proofOfAddress, is_signer: false, has_control: false }))
      assert.deepEqual((await base(id))?.missing, { all_of: [lack] }, 'another person does not count')
      assert.equal((await sandbox.wire('PUT', item, { body: associatedPerson(proofOfAddress) })).status, 200)
      await customerIn(sandbox, id, 'active')
      assert.equal((await base(id))?.missing, null)
    })
  }

  test('a document of an owner cannot be asked of a company without people or of a person', async () => {
    const { id } = await create({ associated_persons: [] })
    const order = { body: { decision: 'request_owner_document' } }
    const refused = await sandbox.control('POST', `/customers/${id}/kyc`, order)
    assert.deepEqual([refused.status, refused.body.code], [409, 'no_associated_persons'])
    const { body: someone } = await sandbox.wire('POST', '/customers', { body: individual() })
    const wrong = await sandbox.control('POST', `/customers/${someone.id}/kyc`, order)
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'wrong_customer_type'])
  })
})
