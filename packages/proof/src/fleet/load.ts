// The load of a fleet: events of the provider, signed, one at a time for each end-user, repeated until they are
// acknowledged; callers that create end-users, terms, KYC, accounts and deposits, with an Idempotency-Key; and a reader of
// the events. Each goes round robin over the replicas. Every answer is noted.

import { setTimeout as delay } from 'node:timers/promises'
import { callerOf, type Heard, heardOf, type Tally } from '../chaos/caller.ts'
import { emptyLedger, type Ledger } from '../chaos/ledger.ts'
import { pullEvents, type Teller, tellStories } from '../chaos/stories.ts'
import { type Chance, chanceOf } from '../rig/chance.ts'
import type { Span } from './answers.ts'
import type { Fleet } from './fleet.ts'

export type LoadOptions = { eventsPerSecond: number; callsPerSecond: number; seed: number }

export type MixedLoad = {
  heard: readonly Heard[]
  /** Ids of the provider's events that were answered 200. */
  acknowledgedEvents: readonly string[]
  tally: Tally
  ledger: Ledger
  /** Begins nothing more. @returns when every caller has its answer, or has waited for a minute and a half */
  stop(): Promise<void>
  /** The reader of the events ends once it has read all. */
  finishReading(): Promise<void>
  /** From the first request to `stop`. */
  span(): Span
}

/** So begin the ids of the load's own events. */
export const eventPrefix = 'wh_fleet_'

// A statement on a host that hangs is given up after 12 s, and a call may have done some work before.
const answerMsMax = 20_000
const repeatMs = 100
const patienceMs = 90_000
const callersPerCallASecond = 0.5
const readsPerSecond = 5

export function startMixedLoad(fleet: Fleet, { eventsPerSecond, callsPerSecond, seed }: LoadOptions): MixedLoad {
  const heard: Heard[] = []
  const acknowledgedEvents: string[] = []
  const tally: Tally = { acknowledged: 0, repeated: new Map(), violations: [], hear: (answer) => heard.push(answer) }
  const ledger = emptyLedger()
  const patience = new AbortController()
  const span: Span = { fromMs: Date.now(), toMs: 0 }
  let [isOver, isQuiet] = [false, false]
  const turn = paced(callsPerSecond)
  const caller = callerOf(fleet.business, fleet.nextUrl, tally, patience.signal, answerMsMax)
  const teller: Teller = {
    business: fleet.business,
    caller: {
      get: (path) => turn().then(() => caller.get(path)),
      write: (...call) => turn().then(() => caller.write(...call)),
    },
    ledger,
    provider: fleet.provider,
    complain: (text) => void tally.violations.push(text),
    isOver: () => isOver,
  }
  const stories = Math.max(1, Math.ceil(callsPerSecond * callersPerCallASecond))
  const sender = { fleet, heard, acknowledgedEvents, isOver: () => isOver, signal: patience.signal }
  const pauseMs = (fleet.eventUsers.length / eventsPerSecond) * 1_000
  const running = Promise.all([
    ...Array.from({ length: callsPerSecond > 0 ? stories : 0 }, (_, at) =>
      tellStories(teller, `s${at}`, chanceOf(seed, 100 + at)),
    ),
    ...(eventsPerSecond > 0 ? fleet.eventUsers : []).map((endUser, at) =>
      sendEvents(sender, { endUser, pauseMs, seed }, chanceOf(seed, 10_000 + at)),
    ),
  ])
  const readerTurn = paced(readsPerSecond)
  const reader = { ...caller, get: (path: string) => readerTurn().then(() => caller.get(path)) }
  const reading = pullEvents({ ...teller, caller: reader, isOver: () => isQuiet })
  for (const work of [running, reading]) work.catch(() => {}) // the code that awaits it reports the error
  const atMost = async (work: Promise<unknown>): Promise<void> => {
    const timer = setTimeout(() => patience.abort(), patienceMs)
    await work.finally(() => clearTimeout(timer))
  }
  return {
    heard,
    acknowledgedEvents,
    tally,
    ledger,
    async stop() {
      span.toMs = Date.now()
      isOver = true
      await atMost(running)
    },
    async finishReading() {
      isQuiet = true
      await atMost(reading)
    },
    span: () => ({ ...span, toMs: span.toMs || Date.now() }),
  }
}

type Sender = {
  fleet: Fleet
  heard: Heard[]
  acknowledgedEvents: string[]
  isOver: () => boolean
  signal: AbortSignal
}

async function sendEvents(
  { fleet, heard, acknowledgedEvents, isOver, signal }: Sender,
  { endUser, pauseMs, seed }: { endUser: string; pauseMs: number; seed: number },
  chance: Chance,
): Promise<void> {
  for (let place = 0; !isOver(); place++) {
    const eventId = `${eventPrefix}${seed}_${endUser}_${place}`
    const event = { event_id: eventId, event_type: 'test.happened', external_user_id: endUser, place }
    const body = JSON.stringify(event)
    for (let isTaken = false; !isTaken; ) {
      if (signal.aborted) return
      const answer = await postEvent(fleet, body)
      heard.push(answer)
      isTaken = answer.status === 200
      if (!isTaken) await delay(repeatMs)
    }
    acknowledgedEvents.push(eventId)
    await delay(chance.below(2 * pauseMs))
  }
}

async function postEvent({ deployment, nextUrl }: Fleet, body: string): Promise<Heard> {
  const beganAt = performance.now()
  try {
    const response = await fetch(`${nextUrl()}/v0/webhooks/provider`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-signature': deployment.signer.sign(body) },
      body,
      signal: AbortSignal.timeout(answerMsMax),
    })
    const { status, headers } = response
    return heardOf('event', beganAt, { status, headers, body: parsed(await response.text()) })
  } catch {
    return heardOf('event', beganAt, null)
  }
}

function parsed(text: string): { error?: { code?: string; retryable?: boolean } } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
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
