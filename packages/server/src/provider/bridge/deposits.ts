// Deposits at Bridge: the history of one account, and of all.

import type { Deposits } from '../port.ts'
import type { BridgeClient } from './client.ts'

export function depositsOf(client: BridgeClient): Deposits {
  return {
    ofAccount: (customerId, accountId, page) => client.listActivity(customerId, accountId, page),
    ofAll: (page) => client.listAllActivity(page),
    pageMax: 100,
  }
}
