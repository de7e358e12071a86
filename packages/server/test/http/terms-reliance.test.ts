// submitKyc and getKycLinks: acceptance of the terms that a business states by its own means, which the operator allows.

import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const sandbox = { strictAgreements: true }
const off = await openWorld({ alone: true, sandbox })
const on = await openWorld({ alone: true, env: { TERMS_RELIANCE: 'on' }, sandbox })
after(() => Promise.all([off.stop(), on.stop()]))
afterEach(() => behave(false))

/** Whether the provider has approved the reliance. */
async function behave(isApproved: boolean): Promise<void> {
  for (const world of [off, on]) await world.provider.control('POST', '/behaviour', { terms_reliance: isApproved })
}

const stated = (user: string) => ({
  ...kycBody('our-attestation-17', user),
  has_accepted_terms_of_service: true,
})
const submit = (world: typeof on, user: string, body: unknown) =>
  world.business.call('POST', userPath(user, '/submit-kyc'), body)
const links = (world: typeof on, user: string, query = '?developer_accepted_tos=true') =>
  world.business.call('GET', userPath(user, `/kyc-links${query}`))

describe('without the setting', () => {
  test('422 a statement in a submission', async () => {
    const user = await off.business.user()
    const { resolution } = assertError(await submit(off, user, stated(user)), 422, 'terms_reliance_not_enabled', {
      param: 'has_accepted_terms_of_service',
    })
    assert.ok(resolution.includes(`POST ${userPath(user, '/tos-link')}`), resolution)
  })

  test('422 a statement for a hosted page, and no page is created', async () => {
    const user = await off.business.user()
    assertError(await links(off, user), 422, 'terms_reliance_not_enabled', { param: 'developer_accepted_tos' })
  })

  test('404 a statement about an end-user that does not exist', async () => {
    assertError(await links(off, 'nobody'), 404, 'holder_not_found', { param: 'externalUserId' })
  })
})

describe('with the setting', () => {
  test('200 the business’s own identifier counts, for as many end-users as it likes', async () => {
    await behave(true)
    for (const user of [await on.business.user(), await on.business.user()]) {
      const shown = dataOf(await submit(on, user, stated(user)))
      assert.deepEqual([shown.tosStatus, shown.kycStatus], ['approved', 'under_review'])
    }
  })

  test('200 a hosted page asks for no acceptance', async () => {
    await behave(true)
    const user = await on.business.user()
    const shown = dataOf(await links(on, user))
    assert.deepEqual([shown.tosStatus, shown.tosLink, shown.nextAction.kind], ['approved', null, 'submit_kyc'])
  })

  test('the provider’s word counts: where it has not approved the reliance, the terms stay open', async () => {
    const user = await on.business.user()
    assertError(await submit(on, user, stated(user)), 422, 'signed_agreement_invalid', { param: 'signed_agreement_id' })
    const shown = dataOf(await links(on, user))
    assert.deepEqual([shown.tosStatus, shown.nextAction.kind], ['pending', 'accept_tos'])
  })

  test('400 a statement without an identifier, or one that is not true', async () => {
    const user = await on.business.user()
    const { signed_agreement_id: _, ...without } = stated(user) as Record<string, unknown>
    assertError(await submit(on, user, without), 400, 'invalid_kyc_data', {
      param: 'signed_agreement_id',
      details: { signed_agreement_id: 'missing_field' },
    })
    const { message } = assertError(await links(on, user, '?developer_accepted_tos=false'), 400, 'invalid_query', {
      param: 'developer_accepted_tos',
    })
    assert.match(message, /must be true, or left out/)
  })
})
