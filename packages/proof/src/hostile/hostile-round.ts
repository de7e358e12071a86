// One round of the same load on the same endpoints, 30 % of them hostile or none.

import { closeEndpoint, openBusiness, openEndpoint } from '../relay-world/deployment.ts'
import { hostileKinds } from './hostile-kinds.ts'
import { type Latencies, measureLoad, type Planned } from './measured-load.ts'
import type { Stage } from './stage.ts'

const businessCount = 10
const endpointsEach = 4
const endUsersEach = 5

/** Of ten endpoints, in any business. */
const hostilePlaces = new Set([2, 5, 8])

export type RoundPlan = { name: string; isHostile: boolean; seconds: number; perSecond: number }

/** @returns the latencies of the 70 % that are healthy in either case */
export async function runRound(stage: Stage, plan: RoundPlan): Promise<Latencies> {
  const { deployment } = stage
  const endUsers: { name: string; healthy: string[] }[] = []
  const opened: { id: string; businessId: string }[] = []
  let place = 0
  for (let at = 0; at < businessCount; at++) {
    const names = Array.from({ length: endUsersEach }, (_, index) => `${plan.name}-${at}-${index}`)
    const businessId = await openBusiness(deployment, names)
    const healthy: string[] = []
    for (let index = 0; index < endpointsEach; index++, place++) {
      const name = `${plan.name}-${place}`
      const isMeasured = !hostilePlaces.has(place % 10)
      const kind = hostileKinds[opened.length % hostileKinds.length] ?? 'silent'
      const url = isMeasured || !plan.isHostile ? stage.healthyUrl(name) : stage.hostileUrl(kind)
      opened.push(await openEndpoint(deployment, { businessId, url, ordering: 'best_effort' }))
      if (isMeasured) healthy.push(name)
    }
    endUsers.push(...names.map((name) => ({ name, healthy })))
  }
  const events = Array.from({ length: plan.seconds * plan.perSecond }, (_, index): Planned => {
    const { name, healthy } = endUsers[(index * 7) % endUsers.length] ?? { name: '', healthy: [] }
    const eventId = `wh_${plan.name}_${index}`
    const body = JSON.stringify({ event_id: eventId, event_type: 'test.happened', external_user_id: name })
    return { eventId, body, to: healthy }
  })
  const load = { signer: deployment.signer, baseUrl: stage.server.url, perSecond: plan.perSecond }
  const latencies = await measureLoad(load, events, stage.arrivals)
  for (const endpoint of opened) await closeEndpoint(deployment, endpoint)
  return latencies
}
