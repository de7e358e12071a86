// The adapter for Bridge.

import type { Turn } from '../../platform/http/scope.ts'
import type { RailTable } from '../../platform/values/rails.ts'
import type { Provider, Traits } from '../port.ts'
import { accountsOf } from './accounts.ts'
import { type BridgeClient, createProviderClient, type ProviderClientOptions } from './client.ts'
import { customersOf } from './customers.ts'
import { depositsOf } from './deposits.ts'
import { endpointsOf, recordOf } from './endpoints.ts'
import { events } from './events.ts'
import { hostedKycOf } from './hosted-kyc.ts'
import { bridgeOffer } from './offer.ts'
import { pageOriginsOf, termsOf } from './terms.ts'

export type BridgeOptions = ProviderClientOptions & {
  /** Whether the emulator speaks for Bridge. */
  isEmulated: boolean
  /** The origin of the terms of new end-users, where it is another than Bridge's own. */
  tosOrigin?: string | undefined
  /** The offer with what the operator has added. */
  rails?: RailTable
}

/** Creates the adapter. The first call opens a connection. @param options `baseUrl` ends in `/v0` */
export function createBridge(options: BridgeOptions) {
  const { close, during, ...client } = createProviderClient(options)
  const traits = traitsOf(options)
  const rails = options.rails ?? bridgeOffer
  return {
    ...partsOf(client, traits, rails),
    close,
    /** The same provider for one request, which holds no turn while a call is in progress. */
    during: (turn: Pick<Turn, 'pause' | 'resume'>): Provider => partsOf(during(turn), traits, rails),
  }
}

function partsOf(client: BridgeClient, traits: Traits, rails: RailTable): Provider {
  return {
    kind: 'bridge',
    traits,
    offer: bridgeOffer,
    form: null,
    customers: customersOf(client, rails),
    accounts: accountsOf(client),
    deposits: depositsOf(client),
    events,
    terms: termsOf(client),
    hostedKyc: hostedKycOf(client),
    informationRequests: {
      listOpen: (page) => client.listInformationRequestsOnUs(page),
      read: (id) => client.getInformationRequest(id),
    },
    record: recordOf(client),
    endpoints: endpointsOf(client),
    occupations: { list: () => client.listOccupations() },
    testing: {
      approve: (customerId, write) => client.simulateKycApproval(customerId, write),
      deleteCustomer: (customerId) => client.deleteCustomer(customerId),
    },
    ping: async () => void (await client.listWebhooks()),
  }
}

/** A change has no key at Bridge, and needs none: the same data twice leaves the same object. */
const repeats: Traits['repeats'] = {
  'tos_link.create': 'same_key',
  'customer.create': 'same_key',
  'customer.update': 'harmless',
  'associated_person.create': 'same_key',
  'kyc_link.create': 'same_key',
  'virtual_account.create': 'same_key',
  'virtual_account.update': 'harmless',
  'virtual_account.deactivate': 'same_key',
  'virtual_account.reactivate': 'same_key',
}

const traitsOf = ({ baseUrl, isEmulated, tosOrigin }: BridgeOptions): Traits => ({
  repeats,
  keyLifeMs: 24 * 3_600_000,
  fee: 'percent',
  canChange: { destination: true, fee: true },
  travelRule: true,
  pageOrigins: pageOriginsOf(baseUrl, isEmulated, tosOrigin),
  readsPerSecond: 10,
})
