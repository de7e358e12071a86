// Virtual accounts at Bridge. Bridge stores no reference with an account, and has one set of bank details for all rails
// of a currency.

import {
  type Account,
  type AccountChange,
  type Accounts,
  type AccountTerms,
  bankNumbers,
  type Instructions,
  walletRail,
} from '../port.ts'
import type { BridgeClient } from './client.ts'
import type { ProviderInstructions, ProviderVirtualAccount, VirtualAccountInput } from './wire/types.ts'

const listedMax = 100

export function accountsOf(client: BridgeClient): Accounts {
  const { deactivateVirtualAccount: off, reactivateVirtualAccount: on } = client
  return {
    open: async (customerId, terms, write) =>
      accountOf(await client.createVirtualAccount(customerId, inputOf(terms), write)),
    async findOpened(customerId) {
      const { accounts, unreadable } = await client.listVirtualAccounts(customerId, { limit: listedMax })
      const isCut = accounts.length + unreadable >= listedMax
      return { accounts: accounts.map(accountOf), unreadable, byReference: false, isCut }
    },
    read: async (customerId, id) => accountOf(await client.getVirtualAccount(customerId, id)),
    change: async (customerId, id, change) =>
      accountOf(await client.updateVirtualAccount(customerId, id, changeOf(change))),
    switch: async (customerId, id, to, write) =>
      accountOf(await (to === 'activated' ? on : off)(customerId, id, write)),
  }
}

function inputOf({
  reference: _,
  sourceCurrency,
  destination,
  travelRuleData,
  ...fees
}: AccountTerms): VirtualAccountInput {
  return { sourceCurrency, destination: targetOf(destination), ...fees, ...(travelRuleData && { travelRuleData }) }
}

function changeOf({ destination, ...fees }: AccountChange) {
  return { ...fees, ...(destination && { destination: targetOf(destination) }) }
}

function targetOf({ walletId, ...target }: AccountTerms['destination']): VirtualAccountInput['destination'] {
  return { ...target, ...(walletId !== undefined && { bridgeWalletId: walletId }) }
}

function statusOf(status: string): Account['status'] {
  return status === 'activated' || status === 'deactivated' ? status : 'unknown'
}

function accountOf({ status, destination, createdAt, instructions, ...account }: ProviderVirtualAccount): Account {
  const { bridgeWalletId: walletId, paymentRail, ...target } = destination
  const createdAtMs = Date.parse(createdAt ?? '')
  return {
    ...account,
    status: statusOf(status),
    destination: {
      ...target,
      walletId,
      // Bridge's guides use this name for the chain of a wallet at Bridge.
      paymentRail: paymentRail === 'bridge_wallet' ? walletRail : paymentRail,
    },
    createdAtMs: Number.isNaN(createdAtMs) ? null : createdAtMs,
    instructions: instructionsOf(instructions),
  }
}

function instructionsOf({ paymentRails, ...details }: ProviderInstructions): Instructions {
  const { currency, bankName, bankAddress, beneficiaryName, beneficiaryAddress, depositMessage } = details
  const given = bankNumbers.flatMap((name) => (details[name] === null ? [] : [[name, details[name]]]))
  const numbers = Object.fromEntries(given)
  return {
    ...{ currency, bankName, bankAddress, beneficiaryName, beneficiaryAddress },
    rails: (paymentRails ?? [null]).map((rail) => ({ rail, numbers })),
    depositMessage,
  }
}
