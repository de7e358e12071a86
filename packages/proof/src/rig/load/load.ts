// The load of a proof, and what it notes.

import { setTimeout as delay } from 'node:timers/promises'
import { chanceOf } from '../chance.ts'
import type { Database } from '../databases/database.ts'
import { type Notes, openLedger } from '../ledger.ts'
import { answerFigures } from '../verdict/answers.ts'
import type { Business, World } from '../world.ts'
import { type Caller, type CallerParts, callerOf, type Kept } from './caller.ts'
import { type CallsPlan, makeCalls } from './calls.ts'
import { sendEvents } from './events.ts'
import { pullEvents } from './pull.ts'
import { watchReadiness } from './readiness.ts'
import { repeatEverywhere } from './repeats.ts'
import { type Teller, tellStories } from './stories.ts'

export type LoadPlan = {
  /** Signed provider events: one at a time per end-user, repeated until acknowledged, so that their order is known. */
  eventsPerSecond?: number
  /** End-users from creation to deposit, each write with an Idempotency-Key, one in eight sent twice at once. */
  stories?: { callsPerSecond: number } | { atOnce: number }
  /** Small calls over keep-alive connections, chosen by weight. */
  calls?: CallsPlan
  /** Reads each business's event stream to its end. Default: on if there are events or stories. */
  pull?: boolean
  /** Calls /readyz of each replica twice a second. */
  watchReadiness?: boolean
  /** Maximum time for one response. Default: 8 s. */
  answerMsMax?: number
  /** Time before the first fault. Default: 5 s. */
  warmUpMs?: number
  /** After `stop`, how long a caller retries a request without a final response. Default: 90 s. After that the request is stuck. */
  patienceMs?: number
}
export type Load = {
  ledger: Notes
  /** Returns one line: requests, acknowledged, refused, failed. */
  summary(): string
  /** Starts nothing new; resolves when every caller has its response or has waited too long. */
  stop(): Promise<void>
  /** After everything is healed: repeats some writes at every replica, and reads all events. */
  finishReading(): Promise<void>
}

const answerMsDefault = 8_000
const patienceMsDefault = 90_000
const storiesPerCallASecond = 0.5
const readsPerSecond = 5
/** Writes whose keys are tried again at the end. */
const keptMax = 20
/** Each part of a load has its own random streams, far from those of the proof's faults. */
const streams = { stories: 1_000_000, events: 2_000_000, calls: 3_000_000, ofBusiness: 10_000 }

export function startLoad<D extends Database>(world: World<D>, plan: LoadPlan, seed: number): Load {
  const notes = openLedger(world.attempts)
  const { answerMsMax = answerMsDefault, patienceMs = patienceMsDefault } = plan
  const patience = new AbortController()
  const kept: Kept[] = []
  let [isOver, isQuiet] = [false, false]
  const parts: CallerParts = {
    send: (call, limitMs) => world.send(call, limitMs),
    notes,
    patience: patience.signal,
    answerMsMax,
    keep: (one) => void (kept.push(one) > keptMax && kept.shift()),
  }
  const running = Promise.all([
    ...startCallers(world, plan, parts, seed, () => isOver),
    ...(plan.watchReadiness
      ? [
          watchReadiness(
            () => world.replicas,
            notes,
            () => isOver,
          ),
        ]
      : []),
  ])
  const { pull = plan.eventsPerSecond !== undefined || plan.stories !== undefined } = plan
  const reading = Promise.all(
    (pull ? world.businesses : []).map((business) => {
      const caller = slowed(callerOf(business, parts), paced(readsPerSecond))
      return pullEvents({ business, caller, notes, provider: world.provider, isOver: () => isQuiet })
    }),
  )
  for (const work of [running, reading]) work.catch(() => {}) // the code that awaits it reports the error
  const atMost = async (work: Promise<unknown>): Promise<void> => {
    const timer = setTimeout(() => patience.abort(), patienceMs)
    await work.finally(() => clearTimeout(timer))
  }
  return {
    ledger: notes,
    summary: () => summaryOf(notes),
    async stop() {
      notes.load.toMs = Date.now()
      isOver = true
      await atMost(running)
    },
    async finishReading() {
      await repeatEverywhere(world.replicas, kept, notes)
      isQuiet = true
      await atMost(reading)
    },
  }
}

function startCallers<D extends Database>(
  world: World<D>,
  plan: LoadPlan,
  parts: CallerParts,
  seed: number,
  isOver: () => boolean,
): Promise<void>[] {
  const { businesses, provider } = world
  const { eventsPerSecond = 0, stories, calls } = plan
  const tellerFor = (business: Business, caller: Caller): Teller => {
    return { business, caller, notes: parts.notes, provider, isOver }
  }
  const turn = stories && 'callsPerSecond' in stories ? paced(stories.callsPerSecond) : async () => {}
  const atOnce = storiesAtOnce(plan, businesses.length)
  const names = eventsPerSecond > 0 ? businesses.reduce((sum, { endUsers }) => sum + endUsers.length, 0) : 0
  const pauseMs = (names / eventsPerSecond) * 1_000
  const perBusiness = businesses.flatMap((business) => {
    const stream = business.index * streams.ofBusiness
    const teller = tellerFor(business, slowed(callerOf(business, parts), turn))
    const telling = Array.from({ length: atOnce }, (_, at) =>
      tellStories(teller, `s${seed}-${at}`, chanceOf(seed, streams.stories + stream + at)),
    )
    const sending = (names > 0 ? business.endUsers : []).map((endUser, at) => {
      const about = { business: business.index, endUser, pauseMs, seed }
      return sendEvents({ ...parts, provider, isOver }, about, chanceOf(seed, streams.events + stream + at))
    })
    return [...telling, ...sending]
  })
  const small = Array.from({ length: calls?.callers ?? 0 }, async (_, at) => {
    const business = businesses[at % businesses.length]
    if (!business || !calls) return
    const teller = { ...tellerFor(business, callerOf(business, parts)), ...parts }
    await makeCalls(teller, calls, `call-${seed}-${at}`, chanceOf(seed, streams.calls + at))
  })
  return [...perBusiness, ...small]
}

function storiesAtOnce({ stories }: LoadPlan, businesses: number): number {
  if (!stories) return 0
  if ('atOnce' in stories) return stories.atOnce
  return Math.max(1, Math.ceil((stories.callsPerSecond * storiesPerCallASecond) / businesses))
}

function slowed(caller: Caller, turn: () => Promise<void>): Caller {
  return {
    get: (path) => turn().then(() => caller.get(path)),
    write: (...call) => turn().then(() => caller.write(...call)),
  }
}

/** @returns a wait for one's turn: turns come at an even pace, and those that nobody took are not made up for */
function paced(perSecond: number): () => Promise<void> {
  let nextAt = performance.now()
  return async () => {
    const now = performance.now()
    nextAt = Math.max(now, nextAt + 1_000 / perSecond)
    await delay(nextAt - now)
  }
}

function summaryOf(notes: Notes): string {
  const { answers, acknowledged, refused } = answerFigures(notes)
  const failed = notes.answers.filter(({ status }) => status === null).length
  return `${answers} requests, ${acknowledged} acknowledged, ${refused} refused, ${failed} without a response`
}
