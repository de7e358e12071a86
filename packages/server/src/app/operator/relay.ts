// Relay status for the operator: the backlog, the lanes with the longest wait, the running servers.

import type { Core } from '../../platform/core.ts'
import { isoTime } from '../../platform/values/time.ts'
import { breakerFailures } from '../../webhooks/delivery/circuit-breaker.rules.ts'
import { readWorkFacts } from '../diagnostics.ts'
import { type LaneRow, listBusyLanes, listReplicas, type ReplicaRow } from './relay.store.ts'

export async function readRelayStatus(deps: Pick<Core, 'db'> & { instanceId: string }) {
  const { facts, lanes, replicas } = await deps.db.read(async (query) => ({
    facts: await readWorkFacts(query, breakerFailures),
    lanes: await listBusyLanes(query),
    replicas: await listReplicas(query),
  }))
  return {
    deliveriesWaiting: facts.deliveries,
    oldestWaitingSeconds: Math.round(facts.oldestDeliverySeconds),
    oldestHeldSeconds: Math.round(facts.heldDeliverySeconds),
    operationsUnknown: facts.operations,
    oldestOperationSeconds: Math.round(facts.oldestOperationSeconds),
    eventsWaiting: facts.eventsUnrouted,
    eventsAmbiguous: facts.eventsAmbiguous,
    eventsQuarantined: facts.eventsQuarantined,
    endpoints: {
      enabled: facts.endpointsEnabled,
      paused: facts.endpointsPaused,
      disabled: facts.endpointsDisabled,
      failing: facts.endpointsFailing,
    },
    lanes: lanes.map(laneView),
    replicas: replicas.map((row) => replicaView(row, deps.instanceId)),
  }
}

/** Only the host of the URL: the rest may contain a token of the receiver. */
function laneView({ url, oldestAt, failingSince, ...lane }: LaneRow) {
  return {
    ...lane,
    host: URL.parse(url)?.host ?? '',
    oldestAt: isoTime(oldestAt),
    failingSince: failingSince && isoTime(failingSince),
  }
}

function replicaView({ id, version, role, startedAt, until, lanes }: ReplicaRow, self: string) {
  return { id, version, role, startedAt: isoTime(startedAt), aliveUntil: isoTime(until), lanes, isSelf: id === self }
}
