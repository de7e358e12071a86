// Calls to the provider: every method of the port at least once, with every optional input.

import type { Provider } from '../src/provider/bridge/client.ts'
import { write } from './provider-world.ts'

const destination = { paymentRail: 'stellar', currency: 'usdc', address: 'GABC', memo: '77' }
const individual = {
  type: 'individual',
  first_name: 'Ann',
  last_name: 'Lee',
  email: 'ann@example.com',
  birth_date: '1990-01-15',
  signed_agreement_id: '4d5d8c45-9feb-422a-bb5e-0fd32e3b3c53',
  residential_address: { street_line_1: '1 Main St', city: 'Oakland', subdivision: 'CA', country: 'USA' },
  identifying_information: [{ type: 'ssn', issuing_country: 'USA', number: '123456789' }],
  endorsements: ['base', 'sepa'],
}

const { type: _, signed_agreement_id: __, endorsements: ___, ...identity } = individual
const person = { ...identity, has_ownership: true, has_control: true, is_signer: true, title: 'Director' }

export type Speech = [operation: string, speak: (provider: Provider) => Promise<unknown>]

export const speeches: Speech[] = [
  ['POST /customers/tos_links', (p) => p.createTosLink(write)],
  ['GET /lists/occupation_codes', (p) => p.listOccupations()],
  ['GET /customers/{customerID}/tos_acceptance_link', (p) => p.getTosAcceptanceLink('cust_1')],
  ['POST /customers', (p) => p.createCustomer(individual, write)],
  ['PUT /customers/{customerID}', (p) => p.updateCustomer('cust_1', individual)],
  ['POST /customers/cust_1/simulate_kyc_approval', (p) => p.simulateKycApproval('cust_1', write)],
  ['GET /customers/{customerID}/associated_persons', (p) => p.listAssociatedPersons('cust_1')],
  [
    'POST /customers/{customerID}/associated_persons',
    (p) => p.createAssociatedPerson('cust_1', { id: 'ap_1', ...person }, write),
  ],
  [
    'PUT /customers/{customerID}/associated_persons/{associatedPersonID}',
    (p) => p.updateAssociatedPerson('cust_1', 'ap_1', { ...person, relationship_established_at: 1748368533308 }),
  ],
  ['GET /customers/{customerID}', (p) => p.getCustomer('cust_1')],
  ['GET /customers', (p) => p.findCustomersByEmail('johndoe@johndoe.com')],
  ['DELETE /customers/{customerID}', (p) => p.deleteCustomer('cust_1')],
  ['POST /kyc_links', (p) => p.createKycLink({ email: 'ann@example.com', type: 'individual' }, write)],
  [
    'POST /kyc_links',
    (p) =>
      p.createKycLink(
        {
          email: 'ann@example.com',
          type: 'business',
          fullName: 'Ann Lee',
          endorsements: ['sepa'],
          redirectUri: 'https://example.com/back',
        },
        write,
      ),
  ],
  ['GET /kyc_links/{kycLinkID}', (p) => p.getKycLink('kyc_1')],
  ['GET /customers/{customerID}/kyc_link', (p) => p.getCustomerKycLink('cust_1')],
  [
    'GET /customers/{customerID}/kyc_link',
    (p) => p.getCustomerKycLink('cust_1', { endorsement: 'sepa', redirectUri: 'https://example.com/back?a=1&b=2' }),
  ],
  [
    'POST /customers/{customerID}/virtual_accounts',
    (p) => p.createVirtualAccount('cust_1', { sourceCurrency: 'eur', destination, developerFeePercent: '0.5' }, write),
  ],
  ['GET /customers/{customerID}/virtual_accounts', (p) => p.listVirtualAccounts('cust_1')],
  [
    'GET /customers/{customerID}/virtual_accounts',
    (p) => p.listVirtualAccounts('cust_1', { limit: 100, startingAfter: 'va_1' }),
  ],
  ['GET /customers/{customerID}/virtual_accounts/{virtualAccountID}', (p) => p.getVirtualAccount('cust_1', 'va_1')],
  [
    'PUT /customers/{customerID}/virtual_accounts/{virtualAccountID}',
    (p) => p.updateVirtualAccount('cust_1', 'va_1', { destination, developerFeePercent: '10.2' }),
  ],
  [
    'POST /customers/{customerID}/virtual_accounts/{virtualAccountID}/deactivate',
    (p) => p.deactivateVirtualAccount('cust_1', 'va_1', write),
  ],
  [
    'POST /customers/{customerID}/virtual_accounts/{virtualAccountID}/reactivate',
    (p) => p.reactivateVirtualAccount('cust_1', 'va_1', write),
  ],
  [
    'GET /customers/{customerID}/virtual_accounts/{virtualAccountID}/history',
    (p) => p.listActivity('cust_1', 'va_1', { limit: 10, startingAfter: 'va_event_1' }),
  ],
  ['GET /virtual_accounts/history', (p) => p.listAllActivity()],
  ['GET /virtual_accounts/history', (p) => p.listAllActivity({ limit: 100, startingAfter: 'va_event_1' })],
  [
    'POST /webhooks',
    (p) =>
      p.createWebhook(
        { url: 'https://example.com/hook', eventEpoch: 'webhook_creation', eventCategories: ['customer', 'kyc_link'] },
        write,
      ),
  ],
  ['GET /webhooks', (p) => p.listWebhooks()],
  ['GET /rfis', (p) => p.listInformationRequestsOnUs({ limit: 10, startingAfter: 'rfi_1' })],
  ['GET /rfis/{rfiID}', (p) => p.getInformationRequest('rfi_1')],
  ['GET /webhook_events', (p) => p.listWebhookEvents({ limit: 200, startingAfter: 'wh_1' })],
  ['POST /webhooks/{webhookID}/send', (p) => p.sendWebhookEvent('wep_1', 'wh_1', write)],
  ['PUT /webhooks/{webhookID}', (p) => p.updateWebhook('wep_1', { url: 'https://example.com/hook', status: 'active' })],
]
