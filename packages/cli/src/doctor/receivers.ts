// Pending work: deliveries, operations with an unknown outcome, quarantined and held events.

import { countMax, readWorkFacts, type WorkFacts } from '../../../server/src/app/diagnostics.ts'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { listApplied } from '../../../server/src/platform/postgres/migrate.ts'
import { breakerFailures } from '../../../server/src/webhooks/delivery/circuit-breaker.rules.ts'
import { type Finding, firstOf, ok, problem, seconds, warning } from './check.ts'

const lateSeconds = 900

/** Returns no findings without a schema. */
export async function checkWork(db: Database): Promise<Finding[]> {
  const applied = await db.read(listApplied)
  if (applied === null || applied.length === 0) return []
  const facts = await db.read((query) => readWorkFacts(query, breakerFailures))
  return [checkBacklog(facts), checkEndpoints(facts), checkOperations(facts), checkEvents(facts), checkOwners(facts)]
}

function checkBacklog({ deliveries, oldestDeliverySeconds }: WorkFacts): Finding {
  const check = 'deliveries'
  const count = deliveries >= countMax ? `${countMax} or more` : String(deliveries)
  return oldestDeliverySeconds > lateSeconds
    ? warning(
        check,
        `${count} pending, the oldest for ${seconds(oldestDeliverySeconds)}.`,
        'Check failing endpoints first, then whether a relay is running.',
      )
    : ok(check, `${count} pending`)
}

function checkEndpoints({
  endpointsEnabled,
  endpointsPaused,
  endpointsDisabled,
  endpointsFailing,
}: WorkFacts): Finding {
  const check = 'webhook endpoints'
  const facts = `${endpointsEnabled} enabled, ${endpointsPaused} paused, ${endpointsDisabled} disabled, ${endpointsFailing} failing`
  return endpointsFailing + endpointsDisabled > 0
    ? warning(check, `${facts}.`, 'Notify their businesses. A disabled endpoint keeps its events until it is enabled.')
    : ok(check, facts)
}

function checkOperations({ operations, oldestOperationSeconds, operationsUnreadable }: WorkFacts): Finding {
  const check = 'unknown outcomes'
  if (operationsUnreadable.length > 0)
    return problem(
      check,
      `Responses of the provider cannot be read (provider_response_unreadable): ${operationsUnreadable.join(', ')}.`,
      'Search the log for “provider response unreadable”: each line names the missing field. Causeway looks up the outcome for 24 hours. See CausewayResponsesUnreadable on the page “Alert runbook” in the docs.',
    )
  return oldestOperationSeconds > 300
    ? warning(
        check,
        `${operations} operations at the provider have an unknown outcome, the oldest for ${seconds(oldestOperationSeconds)}.`,
        'Causeway settles them as soon as the provider responds. Check the status of the provider.',
      )
    : ok(check, operations === 0 ? 'none' : `${operations}, all less than 5 min old`)
}

function checkEvents({ eventsQuarantined, eventsUnrouted }: WorkFacts): Finding {
  const check = 'events'
  return firstOf(
    [
      eventsQuarantined > 0 &&
        warning(
          check,
          `${eventsQuarantined} are quarantined because they could not be applied.`,
          "Run: select event_id, error from event_work where state = 'quarantined'",
        ),
    ],
    ok(check, `none quarantined, ${eventsUnrouted} held until their owner is known`),
  )
}

function checkOwners({ eventsAmbiguous, oldestAmbiguousSeconds }: WorkFacts): Finding {
  const check = 'event owners'
  if (eventsAmbiguous === 0) return ok(check, 'none is ambiguous')
  return warning(
    check,
    `${eventsAmbiguous} match several businesses and are held, the oldest for ${seconds(oldestAmbiguousSeconds)}.`,
    'See “Events without an owner” on the page “Alert runbook” in the docs.',
  )
}
