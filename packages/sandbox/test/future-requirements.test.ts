// Requirements that are announced for later: told with every endorsement, which stands, until they are supplied.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { business, customerIn, type Fields, individual } from './people.ts'
import { type SandboxProcess, startProcess } from './sandbox-process.ts'

const answers = {
  individual: {
    account_purpose: 'receive_salary',
    employment_status: 'employed',
    expected_monthly_payments_usd: '0_4999',
    most_recent_occupation: '132011',
    acting_as_intermediary: false,
    source_of_funds: 'salary',
  },
  business: { account_purpose: 'payroll', source_of_funds: 'owners_capital' },
}
const needs = {
  individual: ['source_of_funds_questionnaire', 'sof_individual_primary_purpose'],
  business: ['source_of_funds_questionnaire'],
}

describe('future requirements', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startProcess('--kyc-decision-ms', '1')
  })
  after(() => sandbox.stop())

  const futureOf = async (id: string): Promise<unknown[]> => {
    const { body } = await sandbox.wire('GET', `/customers/${id}`)
    assert.ok(body.endorsements.every(({ status }) => status === 'approved'))
    return body.endorsements.map((endorsement) => Reflect.get(endorsement, 'future_requirements'))
  }

  for (const type of ['individual', 'business'] as const) {
    const make = type === 'individual' ? individual : business
    for (const way of ['by the magic e-mail', 'by command'] as const) {
      test(`of a ${type} are announced ${way} and gone once they are supplied`, async () => {
        const changes: Fields = way === 'by command' ? {} : { email: `ada-${randomUUID()}+future@example.com` }
        const { body: created } = await sandbox.wire('POST', '/customers', { body: make(changes) })
        await customerIn(sandbox, created.id, 'active')
        if (way === 'by command') {
          assert.deepEqual(await futureOf(created.id), [undefined, undefined])
          const decision = { body: { decision: 'announce_requirements' } }
          await sandbox.control('POST', `/customers/${created.id}/kyc`, decision)
        }
        const [first, second] = await futureOf(created.id)
        assert.deepEqual(first, second)
        const [{ effective_date, ...rest }] = first as [{ effective_date: string }]
        assert.match(effective_date, /^\d{4}-\d{2}-\d{2}$/)
        assert.ok(Date.parse(effective_date) > Date.now())
        const missing = { all_of: needs[type] }
        assert.deepEqual(rest, { verification_stage: 'not_applicable', pending: [], missing, issues: [] })
        const answered = await sandbox.wire('PUT', `/customers/${created.id}`, { body: answers[type] })
        assert.deepEqual([answered.status, answered.body.status], [200, 'active'])
        assert.deepEqual(await futureOf(created.id), [undefined, undefined])
      })
    }
  }
})
