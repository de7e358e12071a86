// Waits for the events of the story.

import type { Deposit, DepositStatus, EndUser, VirtualAccount } from '@causeway/sdk'
import type { Receiver } from './receiver.ts'

type AccountEvent = `virtual_account.${'created' | 'updated' | 'deactivated' | 'reactivated'}`

export function eventsOf(receiver: Receiver) {
  return {
    /** The end-user after `before`. Events can overtake each other: `updatedAt` says which is newer. */
    changeOf: ({ externalUserId, kycStatus, updatedAt }: EndUser): Promise<EndUser> =>
      receiver.until('end_user.kyc.updated', `KYC of ${externalUserId} went on from ${kycStatus}`, (endUser) => {
        return endUser.externalUserId === externalUserId && endUser.updatedAt > updatedAt
      }),

    account: (id: string, type: AccountEvent): Promise<VirtualAccount> =>
      receiver.until(type, `${type} of ${id}`, (account) => account.id === id),

    deposit(providerDepositId: string, status: DepositStatus): Promise<Deposit> {
      const type = status === 'completed' ? 'virtual_account.payment.received' : 'virtual_account.deposit.updated'
      return receiver.until(type, `the deposit ${providerDepositId} is ${status}`, (deposit) => {
        return deposit.providerDepositId === providerDepositId && deposit.status === status
      })
    },
  }
}
