// The people of the tests, as their submissions describe them: one Ada, and one company with its people. No I/O.

import { idImage } from '../../cli/src/demo/image.ts'
import { adaBody } from './ada.ts'
import { canaryPrefix } from './canary-search.ts'

type Json = Record<string, unknown>

let serial = 0
/** An externalUserId that no other test uses. */
export function freshUserId(): string {
  serial += 1
  return `user-${process.pid}-${serial}`
}

export function userPath(externalUserId: string, rest = ''): string {
  return `/v0/end-users/${encodeURIComponent(externalUserId)}${rest}`
}

export const solanaWallet = {
  payment_rail: 'solana',
  currency: 'usdc',
  address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
}

/** A complete KYC body of an individual. `mail` decides the emulator's verdict by its suffix, e.g. `ada+reject`. */
export function kycBody(agreement: string | null, mail: string): Json {
  return adaBody({ agreement, mail, image: idImage(), mark: canaryPrefix })
}

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

/** A complete KYC body of a company, with every property that the provider requires. */
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

export const endUserMembers = [
  'id',
  'externalUserId',
  'email',
  'type',
  'metadata',
  'kycStatus',
  'providerStatus',
  'tosStatus',
  'rails',
  'requirements',
  'nextAction',
  'informationRequests',
  'providerCustomerId',
  'createdAt',
  'updatedAt',
]

/** An end-user of whom nothing is known to the provider yet. */
export function freshEndUser(given: Json): Json {
  return {
    email: null,
    type: 'individual',
    metadata: {},
    kycStatus: 'not_started',
    providerStatus: null,
    tosStatus: 'pending',
    rails: { usd: 'inactive', eur: 'inactive', mxn: 'inactive', brl: 'inactive', gbp: 'inactive', cop: 'inactive' },
    requirements: { currentlyDue: [], pendingReview: [], errors: [], associatedPersons: [], future: [] },
    nextAction: { kind: 'accept_tos' },
    informationRequests: [],
    providerCustomerId: null,
    ...given,
  }
}
