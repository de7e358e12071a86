// Compares the acknowledged events with those that the receivers got. Pure.

import type { Endpoint } from '../relay-world/deployment.ts'
import { duplicatesMax } from '../relay-world/duplicates.ts'
import type { ReceiverLine } from './receivers.ts'

/** An acknowledged event and whose it is. */
export type Accepted = { eventId: string; businessId: string }

export type Judged = {
  accepted: number
  /** Accepted events × endpoints of their business that never got a 2xx. */
  lost: number
  /** Answers with a 2xx beyond the first, of one event at one endpoint. */
  duplicates: number
  /** In `per_end_user` endpoints: first arrivals before what came earlier to the same end-user had its 2xx. */
  reordered: number
  /** Missing numbers between 1 and the highest of each endpoint, and numbers that two events bore. */
  sequenceGaps: number
}

export type Judgement = Judged & { examples: string[] }

const examplesMax = 10

type Seen = {
  firstSequence: Map<string, number>
  /** By event, when each 2xx was given. */
  answers: Map<string, number[]>
  /** By end-user: places that have had their 2xx. */
  answeredPlaces: Map<string, Set<number>>
  eventOfSequence: Map<number, string>
}

export function judge(
  accepted: readonly Accepted[],
  endpoints: ReadonlyMap<string, Endpoint>,
  lines: readonly ReceiverLine[],
): Judgement {
  const tally = new Tally(accepted.length)
  const seen = new Map<string, Seen>()
  for (const name of endpoints.keys())
    seen.set(name, {
      firstSequence: new Map(),
      answers: new Map(),
      answeredPlaces: new Map(),
      eventOfSequence: new Map(),
    })
  for (const line of lines) {
    const at = seen.get(line.endpoint)
    if (!at) throw new Error(`nobody set up the endpoint ${line.endpoint}`)
    if (line.what === 'arrived') tally.arrive(at, line, endpoints.get(line.endpoint)?.ordering === 'per_end_user')
    else tally.answer(at, line)
  }
  for (const [name, at] of seen) {
    const businessId = endpoints.get(name)?.businessId
    tally.finish(
      name,
      at,
      accepted.filter((event) => event.businessId === businessId),
    )
  }
  return tally.result
}

class Tally {
  readonly result: Judgement

  constructor(accepted: number) {
    this.result = { accepted, lost: 0, duplicates: 0, reordered: 0, sequenceGaps: 0, examples: [] }
  }

  #note(text: string): void {
    if (this.result.examples.length < examplesMax) this.result.examples.push(text)
  }

  arrive(at: Seen, line: ReceiverLine, isOrdered: boolean): void {
    const known = at.eventOfSequence.get(line.sequence)
    if (known !== undefined && known !== line.eventId) {
      this.result.sequenceGaps += 1
      this.#note(`${line.endpoint}: ${known} and ${line.eventId} both bear ${line.sequence}`)
    }
    at.eventOfSequence.set(line.sequence, line.eventId)
    if (at.firstSequence.has(line.eventId)) return
    at.firstSequence.set(line.eventId, line.sequence)
    if (
      !isOrdered ||
      line.place === null ||
      line.place === 0 ||
      at.answeredPlaces.get(line.endUser)?.has(line.place - 1)
    )
      return
    this.result.reordered += 1
    this.#note(`${line.endpoint}: ${line.endUser} got ${line.place} before ${line.place - 1} was delivered`)
  }

  answer(at: Seen, line: ReceiverLine): void {
    const before = at.answers.get(line.eventId) ?? []
    at.answers.set(line.eventId, [...before, line.atMs])
    if (before.length > 0) {
      this.result.duplicates += 1
      const times = [...before, line.atMs].map((atMs) => timeOfDay(atMs))
      this.#note(`${line.endpoint}: ${line.eventId} was accepted at ${times.join(' and ')}`)
    }
    if (line.place === null) return
    const places = at.answeredPlaces.get(line.endUser) ?? new Set()
    at.answeredPlaces.set(line.endUser, places.add(line.place))
  }

  /** @param accepted the events of the endpoint's business */
  finish(name: string, at: Seen, accepted: readonly Accepted[]): void {
    const missing = Math.max(0, ...at.eventOfSequence.keys()) - at.eventOfSequence.size
    if (missing > 0) this.#note(`${name} never saw ${missing} of its sequence numbers`)
    this.result.sequenceGaps += missing
    for (const { eventId } of accepted) {
      if (at.answers.has(eventId)) continue
      this.result.lost += 1
      this.#note(`${eventId} never reached ${name}`)
    }
  }
}

/** As the log of the run shows it, so that an example finds its kill. */
export function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23)
}

/** Lists the faults of a run: none when every promise held and the run could have broken one. */
export function faultsOf(kills: number, judged: Judged): string[] {
  const faults: string[] = []
  if (judged.accepted === 0) faults.push('nothing was accepted, so nothing was proven')
  if (judged.lost > 0) faults.push(`${judged.lost} deliveries were lost`)
  if (judged.duplicates > duplicatesMax(kills, 0)) faults.push(`${judged.duplicates} duplicates after ${kills} kills`)
  if (judged.reordered > 0) faults.push(`${judged.reordered} events overtook an earlier one of their end-user`)
  if (judged.sequenceGaps > 0) faults.push(`${judged.sequenceGaps} faults in the sequence numbers`)
  return faults
}
