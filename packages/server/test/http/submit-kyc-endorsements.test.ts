// Which endorsements a submission asks for: by default what the place of residence suggests, at the creation alone.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { idImage } from '../../../cli/src/demo/image.ts'
import { assertError, dataOf, request } from '../caller.ts'
import { kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({
  alone: true,
  env: { KYC_ENDORSEMENTS: 'base,sepa,MEX:spei,BRA:pix,GBR:faster_payments' },
})
after(() => world.stop())

const submit = async (user: string, body: unknown) =>
  dataOf(await world.business.call('POST', userPath(user, '/submit-kyc'), body))

async function asked(customerId: string): Promise<string[]> {
  const url = `${world.provider.origin}/v0/customers/${customerId}`
  const customer = await request('GET', url, undefined, { headers: { 'api-key': world.provider.apiKey } })
  return customer.body.endorsements.map(({ name }: { name: string }) => name).toSorted()
}

const placeIn: Readonly<Record<string, object>> = {
  USA: { subdivision: 'CA', postal_code: '94105' },
  MEX: { subdivision: 'CMX', postal_code: '06600' },
  BRA: { subdivision: 'SP', postal_code: '01310-100' },
  GBR: { postal_code: 'EC1Y 8SY' },
}

async function created(country: string, endorsements?: string[]): Promise<{ user: string; customerId: string }> {
  const user = await world.business.user()
  const { endorsements: _, ...body } = kycBody(await world.business.acceptTerms(user), user)
  const { subdivision: _s, postal_code: _p, ...street } = body['residential_address'] as Record<string, unknown>
  const residential_address = { ...street, ...placeIn[country], country }
  const identifying_information = [{ type: 'passport', issuing_country: country, number: 'P1', image_front: idImage() }]
  const named = endorsements === undefined ? {} : { endorsements }
  const shown = await submit(user, { ...body, residential_address, identifying_information, ...named })
  return { user, customerId: shown.providerCustomerId }
}

for (const [country, expected] of [
  ['USA', ['base', 'sepa']],
  ['MEX', ['base', 'sepa', 'spei']],
  ['BRA', ['base', 'pix', 'sepa']],
  ['GBR', ['base', 'faster_payments', 'sepa']],
] as const)
  test(`200 who lives in ${country} is asked for ${expected.join(', ')}`, async () => {
    const { customerId } = await created(country)
    assert.deepEqual(await asked(customerId), expected)
  })

test('200 what the caller names is asked for, and a change asks for nothing by itself', async () => {
  const { user, customerId } = await created('MEX', ['base'])
  assert.deepEqual(await asked(customerId), ['base'])
  await submit(user, { phone: '+12223334449' })
  assert.deepEqual(await asked(customerId), ['base'])
  await submit(user, { endorsements: ['base', 'spei'] })
  assert.deepEqual(await asked(customerId), ['base', 'spei'])
})

test('422 and 400 an endorsement and a type of paper that came later go to the provider; malformed names do not', async () => {
  const user = await world.business.user()
  const body = kycBody(await world.business.acceptTerms(user), user)
  const answer = await world.business.call('POST', userPath(user, '/submit-kyc'), {
    ...body,
    endorsements: ['base', 'rail_of_next_year'],
    identifying_information: [{ type: 'paper_of_next_year', issuing_country: 'USA', number: '1' }],
  })
  assertError(answer, 422, 'provider_rejected')
  for (const malformed of ['Base', 'a b', '', 'x'.repeat(65)])
    assertError(
      await world.business.call('POST', userPath(user, '/submit-kyc'), { ...body, endorsements: [malformed] }),
      400,
      'invalid_kyc_data',
    )
})
