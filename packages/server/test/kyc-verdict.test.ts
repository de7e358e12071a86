// The provider's responses about an end-user, applied in the wrong order: by its own clock the later one counts.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { servicesOf } from '../src/app/services.ts'
import { applyCustomer, refreshEndUser } from '../src/end-users/kyc/apply-verdict.ts'
import { lockedEndUser } from '../src/end-users/service.ts'
import { findEndUser } from '../src/end-users/store.ts'
import type { Standing } from '../src/provider/port.ts'
import { request } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const deps = servicesOf(world.inside).verdicts(world.inside, null)

function answer(id: string, verdict: 'under_review' | 'approved' | 'paused', asOfMs: number | null): Standing {
  return {
    id,
    reference: null,
    verdict,
    pause: verdict === 'paused' ? 'review' : null,
    rails: () => ({ usd: verdict === 'approved' ? 'active' : 'pending' }),
    hasAcceptedTerms: true,
    asks: { due: [], review: [], wrong: [] },
    people: [],
    later: [],
    reasons: [],
    createdAtMs: null,
    asOfMs,
    status: verdict,
  }
}

async function statusAfter(answers: readonly Standing[]): Promise<string> {
  const externalUserId = await world.business.user()
  const user = await deps.db.read((query) => findEndUser(query, world.business.id, externalUserId))
  assert.ok(user)
  for (const customer of answers)
    await deps.db.transaction(async (tx) => applyCustomer(deps, tx, await lockedEndUser(tx, user), customer))
  return (await world.business.call('GET', `/v0/end-users/${externalUserId}`)).body.data.kycStatus
}

test('an answer that the provider gave earlier does not undo a later one', async () => {
  const [earlier, later] = [answer('c_order', 'under_review', 1_000), answer('c_order', 'approved', 2_000)]
  assert.equal(await statusAfter([earlier, later]), 'approved')
  const again = [answer('c_late', 'approved', 2_000), answer('c_late', 'under_review', 1_000)]
  assert.equal(await statusAfter(again), 'approved')
})

test('an answer that changed nothing still makes those before it outdated', async () => {
  const answers = [
    answer('c_same', 'approved', 1_000),
    answer('c_same', 'approved', 3_000),
    answer('c_same', 'paused', 2_000),
  ]
  assert.equal(await statusAfter(answers), 'approved')
})

test('a provider that does not tell the time is believed in the order of its answers', async () => {
  assert.equal(await statusAfter([answer('c_none', 'approved', null), answer('c_none', 'paused', null)]), 'paused')
})

test('of two readings of a hosted link, the older is not applied behind the newer', async () => {
  const externalUserId = await world.business.user()
  const { tosLink } = (await world.business.call('GET', `/v0/end-users/${externalUserId}/kyc-links`)).body.data
  const user = await deps.db.read((query) => findEndUser(query, world.business.id, externalUserId))
  assert.ok(user)
  let reads = 0
  const { hostedKyc } = deps.provider
  assert.ok(hostedKyc?.readPage)
  const { readPage } = hostedKyc
  const provider: typeof deps.provider = {
    ...deps.provider,
    hostedKyc: {
      ...hostedKyc,
      async readPage(id) {
        const answer = await readPage(id)
        reads += 1
        if (reads > 1) return answer
        // The response is in transit while the terms are accepted and another replica reads the page.
        assert.equal((await request('POST', tosLink, {})).status, 200)
        assert.equal((await refreshEndUser(deps, user)).tosStatus, 'approved')
        return answer
      },
    },
  }
  const view = await refreshEndUser({ ...deps, provider }, user)
  assert.equal(view.tosStatus, 'approved')
  assert.equal((await world.business.call('GET', `/v0/end-users/${externalUserId}`)).body.data.tosStatus, 'approved')
  assert.equal(reads, 2)
})
