// The problems in the states that the operator reads, each with what to do and where.

import type { ProviderStatus, RelayStatus, StorageStatus } from '@causeway/sdk'
import type { Case } from '../../../components/attention-card.tsx'
import { endpointState } from '../../../subjects/endpoint.ts'
import { countWords, problemWords, waitWords } from '../words.tsx'

/** From then on a wait is a problem. */
export const lateSeconds = 300
/** The table on the same page has the others. */
export const lanesShown = 5

const provider = { to: '/operator', hash: 'provider', since: null }

export function providerCases({ problem, reachable, webhook, reconciliation }: ProviderStatus): Case[] {
  const found: Case[] = []
  if (problem !== null) {
    const state = reachable ? 'Failing' : 'Unreachable'
    found.push({ ...provider, id: 'provider', tone: 'bad', state, who: 'Provider', advice: problemWords[problem] })
  }
  if (webhook !== null && webhook.status !== 'active') {
    const advice = 'The provider sends no events to it. Run causeway provider connect.'
    found.push({ ...provider, id: 'webhook', tone: 'warn', state: 'Inactive', who: 'Provider webhook', advice })
  }
  if (reconciliation.failures > 0) {
    const advice = `Reading the provider’s record failed ${times(reconciliation.failures)} in a row.`
    found.push({ ...provider, id: 'reconciliation', tone: 'warn', state: 'Failing', who: 'Reconciliation', advice })
  }
  return found
}

const times = (count: number): string => (count === 1 ? 'once' : `${countWords(count)} times`)

/** Endpoints that fail or are disabled while deliveries wait for them. */
export const laneCases = ({ lanes }: RelayStatus): Case[] =>
  lanes
    .filter(({ status, failingSince }) => status === 'disabled' || (status === 'enabled' && failingSince !== null))
    .map((lane) => {
      const [tone, state] = endpointState(lane)
      const { webhookEndpointId: id, host, customerId, customerName, failures, failingSince, waiting } = lane
      const to = `/operator/businesses/${customerId}`
      const failed = failures === 0 ? '' : `, ${countWords(failures)} failed attempts in a row`
      const advice = `${customerName}: ${countWords(waiting)} waiting${failed}.`
      return { id, tone, state, who: host, to, advice, since: failingSince }
    })

export function waitCases({ oldestWaitingSeconds, oldestOperationSeconds }: RelayStatus): Case[] {
  const late = { tone: 'warn', state: 'Late', to: '/operator', hash: 'backlog', since: null } as const
  const found: Case[] = []
  if (oldestWaitingSeconds > lateSeconds) {
    const advice = `The oldest delivery has waited for ${waitWords(oldestWaitingSeconds)}.`
    found.push({ ...late, id: 'deliveries', who: 'Deliveries', advice })
  }
  if (oldestOperationSeconds > lateSeconds) {
    const advice = `The provider has not confirmed a write for ${waitWords(oldestOperationSeconds)}.`
    found.push({ ...late, id: 'operations', who: 'Writes with an unknown outcome', advice })
  }
  return found
}

export function heldCases({ eventsQuarantined, eventsAmbiguous }: RelayStatus): Case[] {
  const held = { to: '/operator/events', since: null }
  const found: Case[] = []
  if (eventsQuarantined > 0) {
    const advice = 'Not retried automatically. Read the reason, then retry.'
    const search = { state: 'quarantined' }
    found.push({
      ...held,
      id: 'quarantined',
      tone: 'bad',
      state: 'Quarantined',
      who: events(eventsQuarantined),
      search,
      advice,
    })
  }
  if (eventsAmbiguous > 0) {
    const advice = 'The IDs in the event belong to several businesses.'
    const search = { state: 'waiting' }
    found.push({
      ...held,
      id: 'ambiguous',
      tone: 'warn',
      state: 'Ambiguous',
      who: events(eventsAmbiguous),
      search,
      advice,
    })
  }
  return found
}

const events = (count: number): string => (count === 1 ? '1 held event' : `${countWords(count)} held events`)

const weekMs = 7 * 86_400_000
/** More rows than a new partition takes over from the default partition. */
const strayRowsMax = 1_000

/** Weeks are created in advance: next week’s partition exists, and the default partitions are all but empty. */
export function storageCases({ partitions }: StorageStatus, nowMs: number): Case[] {
  const storage = { tone: 'warn', to: '/operator/storage', since: null } as const
  return [...Map.groupBy(partitions, ({ table }) => table)].flatMap(([table, parts]): Case[] => {
    const lastMs = Math.max(0, ...parts.map(({ to }) => (to === null ? 0 : Date.parse(to))))
    const strays = parts.find(({ from }) => from === null)?.rows ?? 0
    return [
      ...(lastMs < nowMs + weekMs
        ? [
            {
              ...storage,
              id: `weeks ${table}`,
              state: 'Missing',
              who: `Partitions of ${table}`,
              advice: 'No partition for next week. Check whether a dump or a long transaction holds locks.',
            },
          ]
        : []),
      ...(strays > strayRowsMax
        ? [
            {
              ...storage,
              id: `rows ${table}`,
              state: 'Growing',
              who: `Default partition of ${table}`,
              advice: `About ${countWords(strays)} rows are in no weekly partition.`,
            },
          ]
        : []),
    ]
  })
}
