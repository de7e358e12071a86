// The conditions that a scene must meet once all work has ended.

import { setTimeout as delay } from 'node:timers/promises'
import type { Answer } from '../../../server/test/caller.ts'
import type { EventCounts, Scene, Story } from './stories/story.ts'

/** Whether the caller sends its request again until it hears how it ended, or goes away for good. */
export type Caller = 'repeats' | 'goes'

export type Outcome = {
  story: Story
  scene: Scene
  caller: Caller
  /** Events of the business that were there before. */
  known: ReadonlySet<string>
  /** The response before the kill; null when the connection was cut. */
  first: Answer | null
  /** How the repeats ended; null when nobody repeated. */
  last: Answer | null
}

export type Verdict = {
  faults: string[]
  /** A repeat did it once more, in a story that says it may. */
  again: boolean
}

const patienceMs = 6_000
const lookAgainMs = 50

/**
 * Lists the faults that remain after a while: the provider may still send events.
 * @param waitMs how long a fault may last
 */
export async function judge(outcome: Outcome, waitMs = patienceMs): Promise<Verdict> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const verdict = await judgeNow(outcome)
    if (verdict.faults.length === 0 || performance.now() > deadline) return verdict
    await delay(lookAgainMs)
  }
}

async function judgeNow(outcome: Outcome): Promise<Verdict> {
  const { story, scene, first, last } = outcome
  const { happened, faults: seen } = await scene.look()
  const faults = [...answerFaults(outcome, happened)]
  const told = await toldTypes(outcome)
  const eventFaults = countFaults(told, (happened ? scene.events : scene.eventsOfPieces) ?? {})
  const mayRepeat = story.again !== null && first === null && last !== null
  // More of it, and nothing worse: a story that may do it again still has whole effects only.
  const again = mayRepeat && (seen.length > 0 || eventFaults.length > 0)
  if (!again) faults.push(...seen, ...eventFaults)
  return { faults: [...faults, ...(await deliveryFaults(scene))], again }
}

function answerFaults({ story, scene, first, last }: Outcome, happened: boolean): string[] {
  const faults: string[] = []
  if (first?.status === 200 && !happened) faults.push('200 was answered, and nothing happened')
  if (first && first.status !== 200) faults.push(`the first answer was ${first.status} ${first.text}`)
  if (!scene.request) {
    if (!happened) faults.push('it did not happen')
    return faults
  }
  if (!last) return faults
  const code = last.body?.error?.code
  const isFine = last.status === 200 || (first === null && happened && story.orElse.includes(code))
  if (!isFine) faults.push(`the repeat ended with ${last.status} ${last.text}`)
  if (last.status === 200 && !happened) faults.push('the repeat was answered with 200, and nothing happened')
  const isKept = last.headers.get('idempotent-replayed') === 'true'
  if (isKept && first?.status === 200 && first.text !== last.text)
    faults.push('the repeat was answered otherwise than the first')
  return faults
}

/** Own events since the scene began, by type. */
async function toldTypes({ scene, known }: Outcome): Promise<Map<string, number>> {
  const { place } = scene
  const rows = await place.rows<{ id: string; type: string }>(
    (query) =>
      query`select id, type from events where business_id = ${place.businessId} and trust in ('own', 'test', 'stream')`,
  )
  const counts = new Map<string, number>()
  for (const { id, type } of rows) if (!known.has(id)) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

function countFaults(told: ReadonlyMap<string, number>, expected: EventCounts): string[] {
  const types = new Set([...told.keys(), ...Object.keys(expected)])
  return [...types].flatMap((type) => {
    const count = told.get(type) ?? 0
    const wanted = expected[type] ?? 0
    const [from, to] = typeof wanted === 'number' ? [wanted, wanted] : wanted
    return count < from || count > to ? [`${type} was told ${count} times`] : []
  })
}

/** Each event that was stored for the endpoint arrived there, under gapless numbers. */
async function deliveryFaults({ place }: Scene): Promise<string[]> {
  const { bySequence, faults } = place.stage.receiver.arrivalsAt(place.hookPath)
  const [lane] = await place.rows<{ sequence: number }>(
    (query) =>
      query`select coalesce(max(sequence), 0) as sequence from endpoint_sequences where endpoint_id = ${place.endpointId}`,
  )
  const [stream] = await place.rows<{ count: number; last: number }>(
    (query) => query`
      select count(*)::int as count, coalesce(max(position), 0)::int as last from events
      where business_id = ${place.businessId}`,
  )
  const result = [...faults]
  if (stream && stream.count !== stream.last) result.push(`${stream.count} events have places up to ${stream.last}`)
  for (let sequence = 1; sequence <= (lane?.sequence ?? 0); sequence++)
    if (!bySequence.has(sequence)) result.push(`the receiver never got number ${sequence}`)
  return result
}
