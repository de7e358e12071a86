// A write at the provider as it is stored, and how long its outcome stays open.

import type { JsonObject } from '../../platform/values/json.ts'

export type OperationKind =
  | 'tos_link.create'
  | 'customer.create'
  | 'customer.update'
  | 'associated_person.create'
  | 'kyc_link.create'
  | 'virtual_account.create'
  | 'virtual_account.update'
  | 'virtual_account.deactivate'
  | 'virtual_account.reactivate'

export type Operation = {
  businessId: string
  id: string
  kind: OperationKind
  subjectId: string
  providerKey: string
  fingerprint: Buffer | null
  /** What a repeat sends; null for identity data, which is not stored. */
  request: JsonObject | null
  state: 'running' | 'unknown' | 'done' | 'failed'
  errorCode: string | null
  attempts: number
  leaseUntil: Date
  createdAt: Date
  updatedAt: Date
}

/** The delay before an unknown outcome is repeated: with the call itself it is settled within a minute of the provider's return. */
export const repeatDelayMs = (attempts: number): number => Math.min(1_000 * 2 ** (attempts - 1), 30_000)

/** The provider keeps its keys 24 hours: past them a repeat under the same key would be a new request. */
export function isWithinKeyLife({ createdAt }: Pick<Operation, 'createdAt'>, nowMs: number): boolean {
  return nowMs - createdAt.getTime() <= 24 * 3_600_000
}
