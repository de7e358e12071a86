// A deposit's row as the API shows it.

import { isoTime } from '../platform/values/time.ts'
import { depositFacts, depositTimeline } from './state.rules.ts'
import type { DepositRow } from './store.ts'

export type DepositView = ReturnType<typeof depositView>

export function depositView(row: DepositRow) {
  const { id, virtualAccountId, externalUserId, providerDepositId, status, facts } = row
  return {
    id,
    virtualAccountId,
    externalUserId,
    providerDepositId,
    status,
    ...depositFacts(facts),
    timeline: depositTimeline(facts),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}
