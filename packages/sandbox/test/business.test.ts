// A business from the first submission to its first account, and what is said about what it lacks.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Resource } from './answers.ts'
import {
  accountBody,
  associatedPerson,
  business,
  customerIn,
  deposit,
  depositAt,
  type Fields,
  pngUri,
} from './people.ts'
import { type SandboxProcess, startProcess } from './sandbox-process.ts'

describe('a business', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startProcess('--kyc-decision-ms', '20', '--deposit-step-ms', '1')
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
