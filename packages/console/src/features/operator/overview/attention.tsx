// Problems for the operator: provider, relay, held events and storage.

import { useQuery } from '@tanstack/react-query'
import { AttentionCard } from '../../../components/attention-card.tsx'
import { providerQuery, relayQuery, storageQuery } from '../queries.ts'
import { heldCases, laneCases, lanesShown, providerCases, storageCases, waitCases } from './problems.ts'

export function OperatorAttention() {
  const provider = useQuery(providerQuery)
  const relay = useQuery(relayQuery)
  const storage = useQuery(storageQuery)
  const reads = [provider, relay, storage]
  const failed = reads.find(({ data, error }) => data === undefined && error !== null)
  const lanes = relay.data ? laneCases(relay.data) : []
  const cases = [
    ...(provider.data ? providerCases(provider.data) : []),
    ...lanes.slice(0, lanesShown),
    ...(relay.data ? [...waitCases(relay.data), ...heldCases(relay.data)] : []),
    ...(storage.data ? storageCases(storage.data, Date.now()) : []),
  ]
  const more =
    lanes.length > lanesShown
      ? [{ to: '/operator', hash: 'endpoints', words: 'View all endpoints with a backlog' }]
      : []
  return (
    <AttentionCard
      cases={cases}
      more={more}
      error={failed?.error ?? null}
      onRetry={() => void failed?.refetch()}
      isPending={reads.some(({ isPending }) => isPending)}
    />
  )
}
