// Metrics read from the database: the same in every process, read at most once in five seconds.

import type { Core } from '../../platform/core.ts'
import { shared } from '../../platform/observe/metrics.ts'
import { breakerFailures } from '../../webhooks/delivery/circuit-breaker.rules.ts'
import { readWorkFacts } from '../diagnostics.ts'

const freshMs = 5_000
const waitMsMax = 2_000

/** Creates the function that updates the metrics: it never rejects, and returns within two seconds. */
export function createMeasurements(deps: Pick<Core, 'db' | 'log'>): () => Promise<void> {
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  const read = async (): Promise<void> => {
    try {
      const facts = await deps.db.read((query) => readWorkFacts(query, breakerFailures))
      shared.databaseUp.set(1)
      shared.deliveriesWaiting.set(facts.deliveries)
      shared.oldestDelivery.set({ endpoint: 'open' }, facts.oldestDeliverySeconds)
      shared.oldestDelivery.set({ endpoint: 'held' }, facts.heldDeliverySeconds)
      shared.endpoints.set({ state: 'enabled' }, facts.endpointsEnabled)
      shared.endpoints.set({ state: 'paused' }, facts.endpointsPaused)
      shared.endpoints.set({ state: 'disabled' }, facts.endpointsDisabled)
      shared.endpoints.set({ state: 'failing' }, facts.endpointsFailing)
      shared.operationsUnknown.set(facts.operations)
      shared.oldestOperation.set(facts.oldestOperationSeconds)
      shared.eventsUnrouted.set(facts.eventsUnrouted)
      shared.eventsAmbiguous.set(facts.eventsAmbiguous)
      shared.eventsQuarantined.set(facts.eventsQuarantined)
    } catch (err) {
      deps.log.debug({ err }, 'database metrics not read')
      forget()
    } finally {
      readAtMs = performance.now()
      reading = null
    }
  }

  return async () => {
    if (performance.now() - readAtMs < freshMs) return
    reading ??= read()
    const { promise: late, resolve } = Promise.withResolvers<'late'>()
    const timer = setTimeout(() => resolve('late'), waitMsMax)
    if ((await Promise.race([reading, late])) === 'late') forget()
    clearTimeout(timer)
  }
}

/** Resets the gauges: an old number would look healthy. */
function forget(): void {
  for (const gauge of Object.values(shared)) gauge.reset()
  shared.databaseUp.set(0)
  const { deliveriesWaiting, operationsUnknown, oldestOperation, eventsUnrouted, eventsAmbiguous, eventsQuarantined } =
    shared
  const unknown = [
    deliveriesWaiting,
    operationsUnknown,
    oldestOperation,
    eventsUnrouted,
    eventsAmbiguous,
    eventsQuarantined,
  ]
  for (const gauge of unknown) gauge.set(Number.NaN)
}
