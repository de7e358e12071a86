// KYC at a provider that lacks parts: hosted pages, some of their operations, fields of our form, or the state of the terms.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ProviderClient } from '../../src/provider/adapters.ts'
import type { Provider, Standing } from '../../src/provider/port.ts'
import { assertError, dataOf, request } from '../caller.ts'
import { freshUserId, kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

type Parts = Pick<Provider, 'hostedKyc' | 'form' | 'customers'>

/** A server on an adapter of other parts, and calls to it. */
async function replicaWith(change: (made: Parts) => Partial<Parts>) {
  const replica = await world.replica({
    adapt: (made): ProviderClient => ({
      ...made,
      ...change(made),
      during: (turn) => {
        const provider = made.during(turn)
        return { ...provider, ...change(provider) }
      },
    }),
  })
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  return {
    links: (user: string, query = '') =>
      request('GET', `${replica.url}${userPath(user, '/kyc-links')}${query}`, undefined, { headers }),
    read: async (user: string) =>
      dataOf(await request('GET', `${replica.url}${userPath(user)}`, undefined, { headers })),
    submit: (user: string, body: unknown, query = '') =>
      request('POST', `${replica.url}${userPath(user, '/submit-kyc')}${query}`, body, { headers }),
    [Symbol.asyncDispose]: () => replica[Symbol.asyncDispose](),
  }
}

/** Counts the requests of a method and path to the provider while `act` runs. */
async function requestsDuring(fault: { method?: string; path: string }, act: () => Promise<void>): Promise<number> {
  await world.provider.fails({ ...fault, mode: 'delay', delay_ms: 0, times: 9 })
  await act()
  const [{ hits }] = (await world.provider.control('GET', '/faults')).body.data
  await world.provider.recovers()
  return hits
}

const hostedPages = (change: Partial<NonNullable<Provider['hostedKyc']>>) =>
  replicaWith(({ hostedKyc }) => ({ hostedKyc: hostedKyc && { ...hostedKyc, ...change } }))

test('200 a provider without hosted pages: no link, none is asked for, and no action leads to one', async () => {
  await using replica = await replicaWith(() => ({ hostedKyc: null }))
  const [fresh, approved] = [await world.business.user(), await world.business.user('approved')]
  const asked = await requestsDuring({ path: 'kyc_link' }, async () => {
    const links = dataOf(await replica.links(fresh))
    assert.deepEqual([links.kycLink, links.nextAction], [null, { kind: 'accept_tos' }])
    const ofCurrency = dataOf(await replica.links(approved, '?currency=gbp'))
    assert.deepEqual([ofCurrency.kycLink, ofCurrency.nextAction], [null, { kind: 'contact_support' }])
  })
  assert.equal(asked, 0)
})

test('200 a provider with pages for customers alone: no link until a submission', async () => {
  await using replica = await hostedPages({ createForNew: null })
  const user = await world.business.user()
  const created = await requestsDuring({ method: 'POST', path: '^/v0/kyc_links$' }, async () => {
    const links = dataOf(await replica.links(user))
    assert.deepEqual([links.kycLink, links.kycStatus], [null, 'not_started'])
  })
  assert.equal(created, 0)
  const { identifying_information: _, ...partly } = kycBody(await world.business.acceptTerms(user), user)
  dataOf(await replica.submit(user, partly))
  assert.match(dataOf(await replica.links(user)).kycLink, /^http/)
})

test('200 a page that cannot be read is not stored, and changes no status', async () => {
  await using replica = await hostedPages({ readPage: null })
  const user = await world.business.user()
  const links = dataOf(await replica.links(user))
  assert.match(links.kycLink, /^http/)
  assert.equal(links.kycStatus, 'not_started')
  const stored = await world.rows`
    select 1 from end_users where external_user_id = ${user} and provider_kyc_link is not null`
  assert.deepEqual(stored, [])
  assert.equal(dataOf(await replica.links(user)).kycLink, links.kycLink)
})

test('400 what the provider does not take of our form is refused before anything is sent, by a dry run as well', async () => {
  const problem = { param: 'phone', code: 'unknown_field', message: 'phone is not taken by this provider.' }
  await using replica = await replicaWith(() => ({ form: { problems: () => [problem] } }))
  const user = await world.business.user()
  const body = kycBody(await world.business.acceptTerms(user), user)
  const created = await requestsDuring({ method: 'POST', path: '^/v0/customers$' }, async () => {
    for (const query of ['', '?dryRun=true'])
      assertError(await replica.submit(user, body, query), 400, 'invalid_kyc_data', {
        details: { phone: problem.code },
      })
  })
  assert.equal(created, 0)
  assert.equal((await replica.read(user)).providerCustomerId, null)
})

test('200 a provider that does not report the terms: what is stored stays', async () => {
  const silent = (standing: Standing): Standing => ({ ...standing, hasAcceptedTerms: null })
  await using replica = await replicaWith(({ customers }) => ({
    customers: {
      ...customers,
      create: async (...given) => silent(await customers.create(...given)),
      read: async (id) => silent(await customers.read(id)),
    },
  }))
  const user = freshUserId()
  dataOf(
    await world.business.call('POST', '/v0/end-users', { externalUserId: user, email: `${user}+hold@example.com` }),
  )
  const agreement = await world.business.acceptTerms(user)
  assert.equal(dataOf(await replica.submit(user, kycBody(agreement, user))).tosStatus, 'approved')
  assert.equal(dataOf(await replica.links(user)).tosStatus, 'approved')
})
