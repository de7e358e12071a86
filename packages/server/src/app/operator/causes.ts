// Causes of the operator's alerts. The thresholds are those of deploy/prometheus/alerts.yml; a test compares them.

import type { OperatorCause } from '../../alerts/ports.ts'
import type { Core } from '../../platform/core.ts'
import { breakerFailures } from '../../webhooks/delivery/circuit-breaker.rules.ts'
import { readWorkFacts, type WorkFacts } from '../diagnostics.ts'
import type { ProviderStatus } from './provider.ts'

type Reads = Pick<Core, 'db' | 'log'> & { readProviderStatus(): Promise<ProviderStatus> }

/** How long each cause must hold before it is an alert, in seconds, with the age that it must have at least. */
export const thresholds = {
  deliveriesLateSeconds: 900,
  operationsUnknownSeconds: 900,
  ambiguousSeconds: 900,
  providerFailingSeconds: 600,
} as const

type Kind = OperatorCause['kind']

/**
 * Creates the reader of the causes that hold now. A cause without a stored beginning counts from the first look that found it,
 * by this process.
 */
export function createOperatorCauses(deps: Reads): () => Promise<OperatorCause[] | null> {
  const since = new Map<Kind, number>()
  /** Whether a cause has held in every look for this long. */
  const holdsFor = (kind: Kind, holds: boolean, seconds: number): boolean => {
    if (!holds) since.delete(kind)
    else if (!since.has(kind)) since.set(kind, performance.now())
    return holds && performance.now() - (since.get(kind) ?? 0) >= seconds * 1_000
  }
  return async () => {
    try {
      const [facts, provider] = await Promise.all([
        deps.db.read((query) => readWorkFacts(query, breakerFailures)),
        deps.readProviderStatus(),
      ])
      const isFailing = holdsFor('provider.failing', provider.problem !== null, thresholds.providerFailingSeconds)
      return [
        ...causesOf(facts),
        ...causesAtProvider(provider),
        ...(isFailing ? [{ kind: 'provider.failing' as const, details: { reason: provider.problem } }] : []),
      ]
    } catch (err) {
      deps.log.warn({ err }, 'causes of alerts not read')
      return null
    }
  }
}

function causesOf(facts: WorkFacts): OperatorCause[] {
  const { operationsUnreadable: unreadable, eventsAmbiguous, eventsQuarantined } = facts
  const causes: (OperatorCause | false)[] = [
    facts.oldestDeliverySeconds > thresholds.deliveriesLateSeconds && {
      kind: 'deliveries.backlog',
      details: { count: facts.deliveries },
    },
    facts.oldestOperationSeconds > thresholds.operationsUnknownSeconds && {
      kind: 'operations.unknown',
      details: { count: facts.operations },
    },
    unreadable.length > 0 && { kind: 'provider.responses_unreadable', details: { count: unreadable.length } },
    facts.oldestAmbiguousSeconds > thresholds.ambiguousSeconds && {
      kind: 'events.without_owner',
      details: { count: eventsAmbiguous },
    },
    eventsQuarantined > 0 && { kind: 'events.quarantined', details: { count: eventsQuarantined } },
  ]
  return causes.filter((cause) => cause !== false)
}

function causesAtProvider({ webhook }: ProviderStatus): OperatorCause[] {
  return webhook?.isKeyKnown === false ? [{ kind: 'provider.webhook_key_changed', details: {} }] : []
}
