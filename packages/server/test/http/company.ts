// A company and its people, as a submission holds them.

import { idImage } from '../../../cli/src/demo/image.ts'
import { canaryPrefix } from '../canary-search.ts'
import { acceptTerms, freshUserId, request, type TestWorld } from '../test-world.ts'
import { dataOf } from './onboarding-answers.ts'

const address = {
  street_line_1: `1 Analytical Street ${canaryPrefix}`,
  city: 'New York',
  subdivision: 'NY',
  postal_code: '10001',
  country: 'USA',
}

export const proofOfAddress = () => [{ purposes: ['proof_of_address'], file: idImage() }]

/** In control, and an owner. */
export const officer = {
  first_name: 'Charles',
  last_name: 'Babbage',
  email: 'charles@example.com',
  residential_address: address,
  birth_date: '1980-12-26',
  identifying_information: [{ type: 'ssn', issuing_country: 'USA', number: '219-09-9999' }],
  has_ownership: true,
  has_control: true,
  is_signer: true,
  title: 'Director',
}

/** A second owner. */
export const owner = { ...officer, first_name: 'Ada', email: 'ada@example.com', has_control: false, is_signer: false }

/** Whole: with every property without which the provider takes no company. */
export const company = (agreement: string, mail: string) => ({
  type: 'business',
  business_legal_name: 'Analytical Engines Inc.',
  business_trade_name: 'Analytical Engines',
  business_description: 'Builds engines',
  business_type: 'corporation',
  business_industry: ['541511'],
  email: `${mail}@example.com`,
  registered_address: address,
  physical_address: address,
  is_dao: false,
  has_material_intermediary_ownership: false,
  account_purpose: 'treasury_management',
  source_of_funds: 'sales_of_goods_and_services',
  identifying_information: [{ type: 'ein', issuing_country: 'USA', number: '12-3456789' }],
  documents: [{ purposes: ['business_formation'], file: idImage() }],
  associated_persons: [officer],
  signed_agreement_id: agreement,
})

/** An end-user that is a company, and its body with the terms accepted. @param suffix decides the emulator's verdict */
export async function newCompany(world: TestWorld, suffix = '') {
  const user = freshUserId()
  dataOf(await world.call('POST', '/v0/end-users', { externalUserId: user, type: 'business' }))
  return { user, body: company(await acceptTerms(world, user), `${user}${suffix}`) }
}

/** The people that the provider has, by e-mail address. */
export async function peopleUpstream(world: TestWorld, customerId: string): Promise<string[]> {
  const url = `${world.sandbox.url}/v0/customers/${customerId}/associated_persons`
  const answer = await request('GET', url, undefined, { headers: { 'api-key': world.sandbox.apiKey } })
  return answer.body.data.map(({ email }: { email: string }) => email).toSorted()
}
