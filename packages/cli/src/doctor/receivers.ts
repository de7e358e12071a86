// What waits: deliveries for receivers, operations whose outcome is not known, events put aside.

import { countMax, readWorkFacts, type WorkFacts } from '../../../server/src/app/diagnostics.ts'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { listApplied } from '../../../server/src/platform/postgres/migrate.ts'
import { breakerFailures } from '../../../server/src/webhooks/delivery/circuit-breaker.rules.ts'
import { type Finding, firstOf, ok, problem, seconds, warning } from './check.ts'

const lateSeconds = 900

/** Nothing where there is no schema yet. */
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
        `${count} wait, the oldest for ${seconds(oldestDeliverySeconds)}.`,
        'Look at failing endpoints first; then whether a relay runs.',
      )
    : ok(check, `${count} wait`)
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
    ? warning(check, `${facts}.`, 'Tell their businesses; a disabled one keeps its events until it is enabled again.')
    : ok(check, facts)
}

function checkOperations({ operations, oldestOperationSeconds, operationsUnreadable }: WorkFacts): Finding {
  const check = 'unknown outcomes'
  if (operationsUnreadable.length > 0)
    return problem(
      check,
      `The provider responded in a way that cannot be read (provider_response_unreadable): ${operationsUnreadable.join(', ')}.`,
      'Search the log for “provider response unreadable”: each line names what is missing. Causeway reads the outcome for a day; see CausewayResponsesUnreadable on the page “Operate the service” of the docs.',
    )
  return oldestOperationSeconds > 300
    ? warning(
        check,
        `${operations} operations at the provider have an unknown outcome, the oldest for ${seconds(oldestOperationSeconds)}.`,
        'They are settled as soon as the provider answers: look at the provider.',
      )
    : ok(check, operations === 0 ? 'none' : `${operations}, all fresh`)
}

function checkEvents({ eventsQuarantined, eventsUnrouted }: WorkFacts): Finding {
  const check = 'events'
  return firstOf(
    [
      eventsQuarantined > 0 &&
        warning(
          check,
          `${eventsQuarantined} could not be applied and were put aside.`,
          'See the table event_work: state, error.',
        ),
    ],
    ok(check, `none put aside; ${eventsUnrouted} wait for their owner to become known`),
  )
}

function checkOwners({ eventsAmbiguous, oldestAmbiguousSeconds }: WorkFacts): Finding {
  const check = 'event owners'
  if (eventsAmbiguous === 0) return ok(check, 'none is ambiguous')
  return warning(
    check,
    `${eventsAmbiguous} name several businesses and go to none, the oldest for ${seconds(oldestAmbiguousSeconds)}.`,
    'See “Events without an owner” on the page “Operate the service” of the docs.',
  )
}
