// Proves that any state may follow any other, and that an older reading replaces nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProviderInformationRequest } from '../provider/port.ts'
import { type InformationRequestFacts, isOutdated, nextFacts, showsTheSame } from './state.rules.ts'

const base: ProviderInformationRequest = {
  id: 'rfi_1',
  state: 'action_required',
  customerId: 'customer',
  referentType: 'deposit',
  depositId: 'deposit',
  deadline: new Date('2026-12-01T00:00:00Z'),
  actionTaken: null,
  actionAtDeadline: 'pause_customer',
  dashboardUrl: 'https://dashboard.example.com/rfis/rfi_1',
  openedAt: new Date('2026-11-01T00:00:00Z'),
  stateChangedAt: null,
  closedAt: null,
}

const apply = (held: InformationRequestFacts | null, told: ProviderInformationRequest) =>
  isOutdated(held, told) ? held : nextFacts(held, told)

test('readings in any order end in the state of the newest', () => {
  const reading = fc.record({
    state: fc.constantFrom('action_required', 'in_review', 'closed'),
    minute: fc.integer({ min: 1, max: 10_000 }),
  })
  fc.assert(
    fc.property(fc.uniqueArray(reading, { minLength: 1, selector: ({ minute }) => minute }), (readings) => {
      const newest = readings.reduce((one, other) => (other.minute > one.minute ? other : one))
      const end = readings.reduce<InformationRequestFacts | null>((held, { state, minute }) => {
        const stateChangedAt = new Date(Date.UTC(2026, 10, 1, 0, minute))
        return apply(held, { ...base, state, stateChangedAt, closedAt: state === 'closed' ? stateChangedAt : null })
      }, null)
      assert.equal(end?.state, newest.state)
      assert.equal(end?.closedAt !== null, newest.state === 'closed')
    }),
  )
})

test('a state that is new to us leaves the state, and what is not told stays', () => {
  const held = nextFacts(null, { ...base, state: 'in_review' })
  const next = nextFacts(held, { ...base, state: null, dashboardUrl: null, referentType: null, depositId: null })
  assert.equal(next.state, 'in_review')
  assert.equal(next.dashboardUrl, base.dashboardUrl)
  assert.equal(next.providerDepositId, 'deposit')
  assert.equal(nextFacts(null, { ...base, state: null }).state, 'action_required')
})

test('of two readings with the same time the later one counts: a deadline moves without a change of state', () => {
  const held = nextFacts(null, base)
  const deadline = new Date('2026-12-24T00:00:00Z')
  assert.equal(apply(held, { ...base, deadline })?.deadline, deadline)
})

test('a change of what the API shows is seen, and no other', () => {
  const held = nextFacts(null, base)
  assert.ok(showsTheSame(held, { ...held, dashboardUrl: null, stateChangedAt: new Date(0) }))
  const changes: Partial<InformationRequestFacts>[] = [
    { state: 'closed' },
    { deadline: null },
    { actionTaken: 'pause_customer' },
    { actionAtDeadline: null },
    { providerDepositId: null },
    { openedAt: null },
    { closedAt: new Date(0) },
  ]
  for (const change of changes) assert.ok(!showsTheSame(held, { ...held, ...change }), JSON.stringify(change))
})
