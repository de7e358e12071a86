// Plays stories on a stage up to their points, kills the server there, starts the next one and has the outcome judged.

import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, until } from '../../../server/test/caller.ts'
import { type Caller, judge, type Outcome } from './judge.ts'
import { type Arms, armsHeader, type Passed } from './probe.ts'
import { comeToRest, forgetDeadOwners, letLeasesRunOut, longLeases } from './recovery.ts'
import type { Stage } from './stage.ts'
import type { Look, Scene, Story } from './stories/story.ts'

/** One death: a story, the point it has come to, and what its caller does then. */
export type Death = { story: Story; point: string; caller: Caller }

export type DeathReport = {
  death: Death
  /** It came to its point. */
  reached: boolean
  faults: string[]
  /** A repeat did it once more, as the story says it may. */
  again: boolean
}

const reachMsMax = 2_500
const repeatMsMax = 15_000
/** For this long at most a dead server may keep anything waiting. */
export const restMsMax = 60_000
const effectMsMax = 30_000
const repeatPauseMs = 50

let serial = 0

export type Cast = {
  death: Death
  scene: Scene
  known: ReadonlySet<string>
  name: string
  key: string
  /** Resolves when the request under test has its response, or its connection is cut. */
  sent: Promise<void>
}

export async function castFor(stage: Stage, death: Death): Promise<Cast> {
  const scene = await death.story.prepare(stage)
  await restOf(stage, [scene])
  const known = await knownEvents(scene)
  serial += 1 // no await from here on: the name is this one's alone
  return { death, scene, known, name: `watch-${serial}`, key: `key-${serial}`, sent: Promise.resolve() }
}

/** Waits until earlier work has ended, before the path starts. */
async function restOf(stage: Stage, scenes: readonly Scene[]): Promise<void> {
  const ids = scenes.map(({ place }) => place.businessId)
  const open = await comeToRest(stage, ids, [], restMsMax)
  if (open.size > 0) throw new Error(`the scene does not come to rest: ${[...open.values()].join(', ')}`)
}

async function knownEvents({ place }: Scene): Promise<ReadonlySet<string>> {
  const rows = await place.rows<{ id: string }>(
    (query) => query`select id from events where business_id = ${place.businessId}`,
  )
  return new Set(rows.map(({ id }) => id))
}

export function sendRequest(
  { scene, key, name }: Cast,
  at: string | null | undefined,
  baseUrl = scene.place.stage.baseUrl,
): Promise<Answer> {
  const { request, place } = scene
  if (!request) throw new Error('this story has no request')
  const arms: Arms | null = at === undefined ? null : { name, at }
  const headers: Record<string, string> = { ...request.headers, 'idempotency-key': key }
  if (arms) headers[armsHeader] = JSON.stringify(arms)
  return place.send({ ...request, headers, baseUrl })
}

/** Plays a story to its end. @returns its points in the order in which it comes to them */
export async function countPoints(stage: Stage, story: Story): Promise<Passed[]> {
  await stage.need(story.env)
  const cast = await castFor(stage, { story, point: '', caller: 'goes' })
  const { scene } = cast
  let name = cast.name
  let first: Answer | null = null
  if (story.watch === 'request') {
    first = await sendRequest(cast, null)
    await delay(20) // the server continues after its response
  } else {
    name = story.watch.loop
    await startLoopWatch(stage, cast, null)
    await happenedIn(scene)
  }
  const points = await stage.server().passed(name)
  if (points.length === 0) throw new Error(`${story.name} passes no point`)
  await comeToRest(stage, [scene.place.businessId], mayStayOpen([cast]), restMsMax)
  const { faults } = await judge({ story, scene, caller: 'goes', known: cast.known, first, last: null })
  if (faults.length > 0) throw new Error(`${story.name} goes wrong without any kill: ${faults.join('; ')}`)
  return points
}

async function startLoopWatch(stage: Stage, { scene, death }: Cast, at: string | null): Promise<void> {
  const { watch, env } = death.story
  if (watch === 'request') throw new Error('this story has no loop')
  const arms = { name: watch.loop, at }
  if (watch.fromStart) {
    await stage.kill()
    await scene.trigger?.()
    await forgetDeadOwners(stage)
    await stage.restart(env, arms)
  } else {
    stage.server().arm(arms)
    await scene.trigger?.()
  }
}

export async function happenedIn(scene: Scene, withinMs = effectMsMax): Promise<Look> {
  return await until(
    'the effect',
    async () => {
      const look = await scene.look()
      return look.happened && look
    },
    withinMs,
  )
}

/** Dies at all these points at once: each path is stopped at its point when the server is killed. Same settings for all. */
export async function die(stage: Stage, deaths: readonly Death[]): Promise<DeathReport[]> {
  const env = deaths[0]?.story.env ?? {}
  await stage.need(env)
  const casts = await Promise.all(deaths.map((death) => castFor(stage, death)))
  const firsts = new Map<Cast, Answer | null>()
  const reached = new Set<Cast>()
  await Promise.all(casts.map((cast) => comeToPoint(stage, cast, firsts, reached)))
  await stage.kill()
  await Promise.all(casts.map(({ sent }) => sent)) // responses that were sent before the kill are still read
  const ids = casts.map(({ scene }) => scene.place.businessId)
  const held = await longLeases(stage, ids)
  await forgetDeadOwners(stage)
  await stage.restart(env)
  const lasts = await recover(stage, casts)
  const open = await comeToRest(stage, ids, mayStayOpen(casts), restMsMax)
  return await Promise.all(
    casts.map(async (cast) => {
      const { death, scene, known } = cast
      const first = firsts.get(cast) ?? null
      const outcome: Outcome = { ...death, scene, known, first, last: lasts.get(cast) ?? null }
      const isLoop = death.story.watch !== 'request'
      if (isLoop) await happenedIn(scene).catch(() => {}) // judged below
      const { faults, again } = await judge(outcome)
      const { businessId } = scene.place
      const stuck = open.get(businessId)
      return {
        death,
        reached: reached.has(cast),
        again,
        faults: [...faults, ...(stuck ? [`${stuck} still`] : []), ...(held.get(businessId) ?? [])],
      }
    }),
  )
}

export async function comeToPoint(
  stage: Stage,
  cast: Cast,
  firsts: Map<Cast, Answer | null>,
  reached: Set<Cast>,
): Promise<void> {
  const { story, point } = cast.death
  const isLoop = story.watch !== 'request'
  const name = story.watch === 'request' ? cast.name : story.watch.loop
  let isOver: Promise<unknown>
  if (isLoop) {
    const started = startLoopWatch(stage, cast, point).catch(() => {}) // its loop may be stopped before it is triggered
    isOver = started
      .then(() => happenedIn(cast.scene))
      .then(
        () => delay(300),
        () => {},
      )
    if (story.watch !== 'request' && story.watch.fromStart) await started
  } else {
    cast.sent = sendRequest(cast, point).then(
      (answer) => void firsts.set(cast, answer),
      () => {},
    )
    isOver = cast.sent.then(() => delay(50))
  }
  const arrived = stage
    .server()
    .reached(name)
    .then(() => void reached.add(cast))
  const patience = new AbortController()
  const late = delay(reachMsMax, undefined, { signal: patience.signal }).catch(() => {})
  await Promise.race([arrived, isOver, late])
  patience.abort()
}

/** The callers who repeat do it at once, and again when every lease of the dead has run out. */
async function recover(stage: Stage, casts: readonly Cast[]): Promise<Map<Cast, Answer>> {
  const lasts = new Map<Cast, Answer>()
  const repeating = casts.filter(({ death, scene }) => death.caller === 'repeats' && scene.request)
  const repeat = async (cast: Cast): Promise<void> => {
    const answer = await sendRequest(cast, undefined)
    if (isFinal(answer)) lasts.set(cast, answer)
  }
  await Promise.all(repeating.map(repeat))
  await letLeasesRunOut(stage)
  const deadline = performance.now() + repeatMsMax
  let waiting = repeating.filter((cast) => !lasts.has(cast))
  while (waiting.length > 0 && performance.now() < deadline) {
    await Promise.all(waiting.map(repeat))
    waiting = waiting.filter((cast) => !lasts.has(cast))
    if (waiting.length > 0) await delay(repeatPauseMs)
  }
  for (const cast of waiting) lasts.set(cast, await sendRequest(cast, undefined))
  return lasts
}

export function isFinal({ status, body }: Answer): boolean {
  return status < 500 && !(status === 409 && String(body?.error?.code).endsWith('_in_progress'))
}

function mayStayOpen(casts: readonly Cast[]): string[] {
  return casts.flatMap(({ death, scene }) =>
    death.caller === 'goes' && death.story.mayStayOpen !== null ? [scene.place.businessId] : [],
  )
}
