// Customers, accounts and deposits for tests, made over the wire.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { Body, Resource } from './answers.ts'
import { type Provider, until } from './sandbox.ts'

export type Fields = Record<string, unknown>

const address = {
  street_line_1: '1 Analytical Street',
  city: 'New York',
  subdivision: 'NY',
  postal_code: '10001',
  country: 'USA',
}

/** Makes a PNG file of the given size. Its checksums are zero, because the sandbox does not check them. */
export const pngUri = (width: number, height: number): string => {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const pixels = deflateSync(Buffer.alloc((width + 1) * height))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const file = Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
  return `data:image/png;base64,${file.toString('base64')}`
}

export const individual = (changes: Fields = {}): Fields => ({
  type: 'individual',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: `ada-${randomUUID()}@example.com`,
  birth_date: '1990-01-15',
  residential_address: address,
  signed_agreement_id: randomUUID(),
  identifying_information: [{ type: 'ssn', issuing_country: 'usa', number: '078051120' }],
  ...changes,
})

export const associatedPerson = (changes: Fields = {}): Fields => ({
  first_name: 'Charles',
  last_name: 'Babbage',
  email: 'charles@example.com',
  residential_address: address,
  birth_date: '1980-12-26',
  identifying_information: [{ type: 'ssn', issuing_country: 'USA', number: '219099999' }],
  has_ownership: true,
  has_control: true,
  is_signer: true,
  title: 'Director',
  ...changes,
})

export const business = (changes: Fields = {}): Fields => ({
  type: 'business',
  business_legal_name: 'Analytical Engines Inc.',
  business_trade_name: 'Engines',
  business_description: 'Builds engines',
  business_type: 'corporation',
  email: `office-${randomUUID()}@example.com`,
  registered_address: address,
  physical_address: address,
  signed_agreement_id: randomUUID(),
  is_dao: false,
  business_industry: ['541511'],
  has_material_intermediary_ownership: false,
  account_purpose: 'treasury_management',
  source_of_funds: 'sales_of_goods_and_services',
  identifying_information: [{ type: 'ein', issuing_country: 'USA', number: '12-3456789' }],
  documents: [{ purposes: ['business_formation'], file: pngUri(300, 200) }],
  associated_persons: [associatedPerson()],
  ...changes,
})

export const allEndorsements = ['base', 'sepa', 'spei', 'pix', 'faster_payments', 'cop']

/** Creates and approves a customer, by default for every rail. */
export const approvedCustomer = async (provider: Provider, changes: Fields = {}): Promise<Resource> => {
  const body = individual({ endorsements: allEndorsements, ...changes })
  const created = await provider.wire('POST', '/customers', { body })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const approved = await provider.control('POST', `/customers/${created.body.id}/kyc`, {
    body: { decision: 'approve' },
  })
  assert.equal(approved.body.status, 'active')
  return approved.body
}

export const accountBody = (currency: string, changes: Fields = {}): Fields => ({
  source: { currency },
  destination: { currency: 'usdc', payment_rail: 'polygon', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
  ...changes,
})

export const openAccount = async (provider: Provider, currency = 'usd', changes: Fields = {}): Promise<Resource> => {
  const customer = await approvedCustomer(provider)
  const path = `/customers/${customer.id}/virtual_accounts`
  const opened = await provider.wire('POST', path, { body: accountBody(currency, changes) })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  return opened.body
}

export const deposit = async (provider: Provider, account: { id: string }, order: Fields): Promise<string> => {
  const made = await provider.control('POST', `/virtual_accounts/${account.id}/deposits`, { body: order })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  return made.body.deposit_id
}

/** Returns the steps of a deposit, oldest first. */
export const stepsOf = async (provider: Provider, depositId: string): Promise<Body[]> => {
  const history = await provider.wire('GET', `/virtual_accounts/history?limit=100&deposit_id=${depositId}`)
  return history.body.data.reverse()
}

export const depositAt = (provider: Provider, depositId: string, type: string): Promise<Body[]> =>
  until(`the deposit is at ${type}`, async () => {
    const steps = await stepsOf(provider, depositId)
    return steps.at(-1)?.type === type && steps
  })

export const customerIn = (provider: Provider, id: string, status: string): Promise<Resource> =>
  until(`the customer is ${status}`, async () => {
    const { body } = await provider.wire('GET', `/customers/${id}`)
    return body.status === status && body
  })

export const tokenOf = (url: string): string => {
  const { searchParams } = new URL(url)
  return searchParams.get('session_token') ?? searchParams.get('t') ?? searchParams.get('reference-id') ?? ''
}
