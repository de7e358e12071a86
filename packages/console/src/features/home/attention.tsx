// Cases that need attention, most severe first.

import type { EndUser, KycStatus, WebhookEndpoint } from '@causeway/sdk'
import { useQueries, useQuery } from '@tanstack/react-query'
import { AttentionCard, type Case, type More } from '../../components/attention-card.tsx'
import { Money } from '../../components/money.tsx'
import { may, type Session } from '../../session/session.ts'
import { kycTone, kycWords } from '../../subjects/end-user.tsx'
import { endpointName, endpointState, endpointsQuery } from '../../subjects/endpoint.ts'
import { nextStepOf } from '../../subjects/next-action.ts'
import { reviewedDepositsQuery, shownMax, slowQuery, stuckQuery, waitingChangesQuery } from './queries.ts'

type Found = { cases: readonly Case[]; more: More | null }

const seenBy = (session: Session) => ({
  users: may(session, 'end_users:read'),
  hooks: may(session, 'webhooks:read'),
  money: may(session, 'virtual_accounts:read'),
})

const calmOf = ({ users, hooks, money }: ReturnType<typeof seenBy>): string[] => [
  ...(users ? ['nobody is stuck'] : []),
  ...(hooks ? ['no endpoint fails'] : []),
  ...(money ? ['no deposit is in review'] : []),
]

/** Whether the session may see anything that can need somebody. */
export const hasAttention = (session: Session): boolean => calmOf(seenBy(session)).length > 0

/** Read one by one: what the session may not see is not asked for. */
export function Attention({ session }: { session: Session }) {
  const seen = seenBy(session)
  const [users, money, hooks] = [useUsers(seen.users), useMoney(seen.money), useEndpoints(seen.hooks)]
  const parts = [hooks, users, money]
  const found = parts.flatMap(({ found }) => found)
  const cases = found.flatMap((one) => one.cases)
  const refused = parts.find(({ error }) => error !== null)
  return (
    <AttentionCard
      cases={cases}
      more={found.flatMap(({ more }) => (more === null ? [] : [more]))}
      error={refused?.error ?? null}
      onRetry={() => refused?.retry()}
      isPending={parts.some((part) => part.isPending)}
    />
  )
}

type Part = { found: readonly Found[]; error: Error | null; isPending: boolean; retry: () => void }

type Read = { error: Error | null; isPending: boolean; isEnabled: boolean; refetch: () => unknown }

const partOf = (reads: readonly Read[], found: readonly Found[]): Part => ({
  found,
  error: reads.find(({ error }) => error !== null)?.error ?? null,
  isPending: reads.some(({ isPending, isEnabled }) => isPending && isEnabled),
  retry: () => {
    for (const { error, refetch } of reads) if (error !== null) refetch()
  },
})

const stuckStates = ['rejected', 'paused', 'action_required'] as const satisfies readonly KycStatus[]

function useUsers(enabled: boolean): Part {
  const stuck = useQueries({ queries: stuckStates.map((status) => ({ ...stuckQuery(status), enabled })) })
  const slow = useQuery({ ...slowQuery, enabled })
  const found = stuck.map(({ data }, at): Found => {
    const status = stuckStates[at] ?? 'rejected'
    const words = `View end-users: ${kycWords(status).toLowerCase()}`
    const cases = data?.rows.map((user) => caseOfUser(user, nextStepOf(user).title)) ?? []
    return { cases, more: data?.hasMore ? { to: '/end-users', search: { status }, words } : null }
  })
  const late = slow.data?.map((user) => caseOfUser(user, 'KYC is taking long: contact your operator')) ?? []
  return partOf([...stuck, slow], [...found, { cases: late, more: null }])
}

const caseOfUser = ({ id, externalUserId, kycStatus, updatedAt }: EndUser, advice: string): Case => ({
  id,
  tone: kycTone(kycStatus),
  state: kycWords(kycStatus),
  who: externalUserId,
  to: `/end-users/${encodeURIComponent(externalUserId)}`,
  advice,
  since: updatedAt,
})

function useMoney(enabled: boolean): Part {
  const reviewed = useQuery({ ...reviewedDepositsQuery, enabled })
  const waiting = useQuery({ ...waitingChangesQuery, enabled })
  const deposits = (reviewed.data?.rows ?? []).map(
    ({ id, grossAmount, externalUserId, createdAt }): Case => ({
      id,
      tone: 'warn',
      state: 'In review',
      who: (
        <>
          Deposit of <Money amount={grossAmount} />
        </>
      ),
      to: `/deposits/${id}`,
      advice: `The provider is reviewing this deposit for ${externalUserId}`,
      since: createdAt,
    }),
  )
  const changes = (waiting.data?.rows ?? []).map(
    ({ id, sourceCurrency, externalUserId, updatedAt }): Case => ({
      id,
      tone: 'warn',
      state: 'Change pending',
      who: `${sourceCurrency.toUpperCase()} account of ${externalUserId}`,
      to: `/accounts/${id}`,
      advice: 'A payout destination change is pending. If you did not request it, cancel the change.',
      since: updatedAt,
    }),
  )
  const more = (hasMore: boolean | undefined, to: string, search: Record<string, string>, words: string) =>
    hasMore ? { to, search, words } : null
  return partOf(
    [reviewed, waiting],
    [
      {
        cases: changes,
        more: more(
          waiting.data?.hasMore,
          '/accounts',
          { destinationChange: 'waiting' },
          'View accounts with a pending change',
        ),
      },
      {
        cases: deposits,
        more: more(reviewed.data?.hasMore, '/deposits', { status: 'in_review' }, 'View deposits in review'),
      },
    ],
  )
}

function useEndpoints(enabled: boolean): Part {
  const endpoints = useQuery({ ...endpointsQuery, enabled })
  const cases = (endpoints.data ?? []).flatMap(caseOfEndpoint).slice(0, shownMax)
  return partOf([endpoints], [{ cases, more: null }])
}

function caseOfEndpoint(endpoint: WebhookEndpoint): Case[] {
  const { id, status, failingSince, disabledReason, updatedAt } = endpoint
  if (status === 'paused' || (status === 'enabled' && failingSince === null)) return []
  const [tone, state] = endpointState(endpoint)
  const common = { id, tone, state, who: endpointName(endpoint), to: `/webhooks/${id}` }
  return [
    status === 'disabled'
      ? { ...common, advice: disabledReason ?? 'Enable the endpoint.', since: updatedAt }
      : { ...common, advice: 'All deliveries are failing. View responses.', since: failingSince ?? updatedAt },
  ]
}
