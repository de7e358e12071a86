// The provider's decisions, by the magic value of the email and by command, and requirements announced for later.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Body, Resource } from './answers.ts'
import { business, customerIn, type Fields, individual, pngUri } from './people.ts'
import { type Sandbox, startSandbox, until } from './sandbox.ts'

describe('verdicts', () => {
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

    test('a rejected customer can be approved after all, with every endorsement', async () => {
      const { id } = await create(individual())
      await customerIn(sandbox, id, 'active')
      const { body: rejected } = await decide(id, { decision: 'reject' })
      assert.equal(endorsement(rejected, 'base')?.status, 'revoked')
      const { body: approved } = await decide(id, { decision: 'approve' })
      assert.deepEqual([approved.status, approved.rejection_reasons], ['active', []])
      assert.ok(approved.endorsements.every(({ status }) => status === 'approved'))
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
})

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
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 1 })
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
