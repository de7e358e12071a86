// How a request for information follows the provider's facts. Any state may follow any other, so only the provider's own time
// of the last change keeps an older reading from replacing a newer one.

import type { InformationRequestState } from '../end-users/schema.rules.ts'
import type { ProviderInformationRequest } from '../provider/port.ts'

export type InformationRequestFacts = {
  providerId: string
  referentType: string | null
  providerDepositId: string | null
  state: InformationRequestState
  deadline: Date | null
  actionTaken: string | null
  actionAtDeadline: string | null
  dashboardUrl: string | null
  openedAt: Date | null
  /** By the provider's clock. */
  stateChangedAt: Date | null
  closedAt: Date | null
}

export type Held = InformationRequestFacts

const changedAt = (told: ProviderInformationRequest): Date | null => told.stateChangedAt ?? told.openedAt

/** @returns whether a reading is older than the held one. If two readings have the same time, the later reading counts. */
export function isOutdated(held: Held | null, told: ProviderInformationRequest): boolean {
  const [before, now] = [held?.stateChangedAt ?? null, changedAt(told)]
  return before !== null && now !== null && now.getTime() < before.getTime()
}

/** A state that is new to us leaves the state as it is. A link or a deposit that is absent from a reading stays. */
export function nextFacts(held: Held | null, told: ProviderInformationRequest): InformationRequestFacts {
  const state = told.state ?? held?.state ?? 'action_required'
  return {
    providerId: told.id,
    referentType: told.referentType ?? held?.referentType ?? null,
    providerDepositId: told.depositId ?? held?.providerDepositId ?? null,
    state,
    deadline: told.deadline,
    actionTaken: told.actionTaken,
    actionAtDeadline: told.actionAtDeadline,
    dashboardUrl: told.dashboardUrl ?? held?.dashboardUrl ?? null,
    openedAt: told.openedAt ?? held?.openedAt ?? null,
    stateChangedAt: changedAt(told) ?? held?.stateChangedAt ?? null,
    closedAt: state === 'closed' ? (told.closedAt ?? held?.closedAt ?? told.stateChangedAt) : null,
  }
}

export function closedWithoutWord(held: Held, at: Date): InformationRequestFacts {
  return { ...held, state: 'closed', closedAt: at }
}

/** @returns whether the API of the business shows both alike */
export function showsTheSame(before: Held, after: InformationRequestFacts): boolean {
  return shownOf(before) === shownOf(after)
}

function shownOf(facts: InformationRequestFacts): string {
  const { state, deadline, actionTaken, actionAtDeadline, providerDepositId, openedAt, closedAt } = facts
  return JSON.stringify([state, deadline, actionTaken, actionAtDeadline, providerDepositId, openedAt, closedAt])
}
