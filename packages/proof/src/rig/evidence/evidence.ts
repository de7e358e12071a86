// Evidence to judge after the load has stopped: work that does not end, the final state through the API as each business sees it,
// and the provider's record.

import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../databases/database.ts'
import { openLedger } from '../ledger.ts'
import { callerOf, readAll, Stuck } from '../load/caller.ts'
import type { Load } from '../load/load.ts'
import { judgeDeliveries } from '../verdict/deliveries.ts'
import type { BusinessEvidence, Evidence, Observed, Row } from '../verdict/observed.ts'
import type { World } from '../world.ts'
import { untilSettled } from './settled.ts'

const settleMsDefault = 60_000
const readMsMax = 90_000
const answerMsMax = 20_000
/** For lines of the receivers that are still in the pipe. */
const arriveMsMax = 5_000

/** Gathers everything after `load.stop()`, once all is healed. */
export async function observe<D extends Database>(
  world: World<D>,
  load: Load,
  settleMsMax = settleMsDefault,
): Promise<Observed> {
  const stuck = await untilSettled(world, settleMsMax)
  await load.finishReading()
  const evidence = await gatherEvidence(world, stuck)
  const observed = { ledger: load.ledger, evidence, stuck, unexpected: world.unexpected() }
  const deadline = performance.now() + arriveMsMax
  const isMissing = (): boolean => judgeDeliveries(observed, {}).some(({ kind }) => kind === 'lost' || kind === 'gap')
  while (isMissing() && performance.now() < deadline) await delay(250)
  return observed
}

/** @param stuck gets what cannot be read in time: a product that never recovers gets a verdict too */
export async function gatherEvidence<D extends Database>(world: World<D>, stuck: string[]): Promise<Evidence> {
  const patience = AbortSignal.timeout(readMsMax)
  const seen = world.businesses.map(async ({ index, id, mark, apiKey, endpoints }): Promise<BusinessEvidence> => {
    const send: typeof world.send = (call, limitMs) => world.send(call, limitMs)
    const caller = callerOf({ apiKey }, { send, notes: openLedger(), patience, answerMsMax })
    let unread = false
    const read = (path: string): Promise<Row[]> =>
      readAll(caller, path).catch((error: unknown) => {
        if (!(error instanceof Stuck)) throw error
        stuck.push(error.message)
        unread = true
        return []
      })
    const facts = endpoints.flatMap(({ name, ordering, conduct = 'healthy', url }) =>
      url === undefined ? [{ name, ordering, conduct }] : [],
    )
    const rows = {
      users: await read('/v0/end-users'),
      accounts: await read('/v0/virtual-accounts'),
      deposits: await read('/v0/deposits'),
      events: await read('/v0/events'),
    }
    return { business: { index, id, mark, endpoints: facts }, unread, ...rows }
  })
  return { businesses: await Promise.all(seen), provider: await world.provider.record() }
}
