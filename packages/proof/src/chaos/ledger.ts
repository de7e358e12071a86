// The answers that callers got, to be compared with the objects at the end.

/** What the last 2xx said of an account. Of a write that got no final answer nothing is noted. */
export type AccountPromise = {
  business: number
  id: string
  address: string
  fee: string
  status: 'pending' | 'active' | 'deactivated'
}

export type UserPromise = {
  business: number
  /** Null: we were told only that it exists. */
  id: string | null
  externalUserId: string
  /** Its KYC was submitted, and the submission acknowledged. */
  isSubmitted: boolean
}

export type Ledger = {
  users: UserPromise[]
  accounts: AccountPromise[]
  /** Requests for an account, acknowledged or not, by the address that each has for itself alone. */
  asked: Map<string, { business: number; externalUserId: string }>
  /** Read by pulling, by business, in the order of their arrival. */
  pulled: Map<number, { id: string; position: number }[]>
}

export const emptyLedger = (): Ledger => ({ users: [], accounts: [], asked: new Map(), pulled: new Map() })
