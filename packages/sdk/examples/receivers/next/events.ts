// Handles an event. `delivery.webhookId` is the same for every attempt: drop repeats.

import type { VerifiedWebhook } from '@causeway/sdk/webhooks'

export const kycStates = new Map<string, string>() // a table, in your product

export async function handle(event: VerifiedWebhook): Promise<void> {
  switch (event.type) {
    case 'end_user.created':
    case 'end_user.kyc.updated':
      if (event.data.externalUserId === 'unlucky') throw new Error('The database is away.')
      kycStates.set(event.data.externalUserId, event.data.kycStatus)
      break
    default: // new types can come at any time
  }
}
