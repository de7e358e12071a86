// Runs stories to their points and stops the holder there. In the meantime, a second server ends the honest retry, or does the
// work of the loop. Then the holder continues. There must be one effect, and every repeat must get the first response.

import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, until } from '../../../../server/test/caller.ts'
import { judge } from '../judge.ts'
import { comeToRest, letLeasesRunOut } from '../recovery.ts'
import {
  type Cast,
  castFor,
  comeToPoint,
  type Death,
  type DeathReport,
  happenedIn,
  isFinal,
  restMsMax,
  sendRequest,
} from '../run.ts'
import type { Stage } from '../stage.ts'
import type { Story } from '../stories/story.ts'
import { freezeFaults, hasKey, type Responses } from './freeze-faults.ts'

// A row that the frozen holder keeps locked is passed over by the sweep of the second server, which comes back every minute.
const sweptWithinMs = 75_000
/** PostgreSQL ends the transaction of a frozen holder after 10 s. Until then its rows are locked. */
const leasesMsMax = 30_000
const retryMsMax = 30_000
const retryPauseMs = 50
const endMsMax = 60_000

/**
 * A repeat must have no second effect: the key, or the ID of the event, prevents it. A lane is not frozen, because another loop of
 * its holder renews the lease.
 */
export function canFreeze({ watch, again }: Story): boolean {
  return watch === 'request' ? again === null : watch.loop !== 'send'
}

/** Freezes at all these points at once, each path at its own. Same settings for all; a loop has a server to itself. */
export async function freeze(stage: Stage, deaths: readonly Death[]): Promise<DeathReport[]> {
  const [first] = deaths
  if (first && first.story.watch !== 'request') return [await freezeLoop(stage, first, first.story.watch.loop)]
  return await freezeRequests(stage, deaths)
}

async function freezeLoop(stage: Stage, death: Death, loop: string): Promise<DeathReport> {
  const { env } = death.story
  await stage.need(env)
  const cast = await castFor(stage, death)
  const { scene, known } = cast
  const reached = new Set<Cast>()
  await comeToPoint(stage, cast, new Map(), reached)
  await using _second = await stage.beside(env)
  await until('the end of all leases', () => haveRunOut(stage), leasesMsMax)
  const isDone = await happenedIn(scene, sweptWithinMs).then(
    () => true,
    () => false,
  )
  stage
    .server()
    .thaw(loop)
    .catch(() => {}) // a loop waits for its next turn, so it never ends
  const { businessId } = scene.place
  const stuck = (await comeToRest(stage, [businessId], [], restMsMax)).get(businessId)
  const { faults } = await judge({ ...death, scene, known, first: null, last: null })
  return {
    death,
    reached: reached.has(cast),
    again: false,
    faults: [
      ...(isDone ? [] : ['the second server did not do the work of the holder that stood still']),
      ...faults,
      ...(stuck ? [`${stuck} still`] : []),
    ],
  }
}

async function freezeRequests(stage: Stage, deaths: readonly Death[]): Promise<DeathReport[]> {
  const env = deaths[0]?.story.env ?? {}
  await stage.need(env)
  const casts = await Promise.all(deaths.map((death) => castFor(stage, death)))
  const frozen = new Map<Cast, Answer | null>()
  const reached = new Set<Cast>()
  await Promise.all(casts.map((cast) => comeToPoint(stage, cast, frozen, reached)))
  await using second = await stage.beside(env)
  await until('the end of all leases', () => haveRunOut(stage), leasesMsMax)
  const retries = await forEach(casts, (cast) => retryUntilFinal(cast, second.baseUrl))
  await Promise.all(casts.map((cast) => thawed(stage, cast)))
  const repeats = await forEach(casts, (cast) => sendRequest(cast, undefined))
  const open = await comeToRest(
    stage,
    casts.map(({ scene }) => scene.place.businessId),
    [],
    restMsMax,
  )
  return await Promise.all(
    casts.map(async (cast) => {
      const responses = {
        frozen: frozen.get(cast) ?? null,
        retry: retries.get(cast) ?? null,
        repeat: repeats.get(cast) ?? null,
      }
      const stuck = open.get(cast.scene.place.businessId)
      const faults = [...(await faultsOf(cast, responses)), ...(stuck ? [`${stuck} still`] : [])]
      return { death: cast.death, reached: reached.has(cast), again: false, faults }
    }),
  )
}

async function forEach(casts: readonly Cast[], send: (cast: Cast) => Promise<Answer>): Promise<Map<Cast, Answer>> {
  return new Map(await Promise.all(casts.map(async (cast) => [cast, await send(cast)] as const)))
}

/** @returns false while a frozen transaction locks a row */
async function haveRunOut(stage: Stage): Promise<boolean> {
  return await letLeasesRunOut(stage).then(
    () => true,
    () => false,
  )
}

async function retryUntilFinal(cast: Cast, baseUrl: string): Promise<Answer> {
  const deadline = performance.now() + retryMsMax
  for (;;) {
    const answer = await sendRequest(cast, undefined, baseUrl)
    if (isFinal(answer) || performance.now() > deadline) return answer
    await delay(retryPauseMs)
  }
}

async function thawed(stage: Stage, { name, sent }: Cast): Promise<void> {
  const ended = stage
    .server()
    .thaw(name)
    .then(() => sent)
  const patience = new AbortController()
  const late = delay(endMsMax, undefined, { signal: patience.signal }).catch(() => {})
  await Promise.race([ended, late]) // a holder that never ends gives no response, which is judged
  patience.abort()
}

async function faultsOf({ death, scene, known }: Cast, responses: Responses): Promise<string[]> {
  const { frozen, retry } = responses
  // Without a key, or in pieces, the two may see different states: their effect is judged alone.
  const isSame = hasKey(scene) && !scene.eventsOfPieces && frozen?.status === 200
  const first = isSame ? frozen : null
  const { faults } = await judge({ ...death, scene, known, first, last: retry }, sweptWithinMs)
  return [...faults, ...freezeFaults(death.story, scene, responses)]
}
