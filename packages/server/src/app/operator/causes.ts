// Causes of the operator's alerts, with the thresholds of deploy/prometheus/alerts.yml.

import type { OperatorCause } from '../../alerts/ports.ts'
import type { Core } from '../../platform/core.ts'
import { breakerFailures } from '../../webhooks/delivery/circuit-breaker.rules.ts'
import { readWorkFacts } from '../diagnostics.ts'
import type { ProviderStatus } from './provider.ts'

type Reads = Pick<Core, 'db' | 'log'> & { readProviderStatus(): Promise<ProviderStatus> }

const lateSeconds = 900

/** Creates the reader of the causes that hold now. It returns null if they cannot be read. */
export function createOperatorCauses(deps: Reads): () => Promise<OperatorCause[] | null> {
  return async () => {
    try {
      const facts = await deps.db.read((query) => readWorkFacts(query, breakerFailures))
      const causes: (OperatorCause | false)[] = [
        facts.oldestDeliverySeconds > lateSeconds && {
          kind: 'deliveries.backlog',
          details: { count: facts.deliveries },
        },
      ]
      return causes.filter((cause) => cause !== false)
    } catch (err) {
      deps.log.warn({ err }, 'causes of alerts not read')
      return null
    }
  }
}
