// Drives hostile addresses through the real sender and counts the outcomes. A run proves something only if the
// canary could have sung: so it is reached on purpose before and after, by the sender's own exception and past the guard.

import { performance } from 'node:perf_hooks'
import { parseWebhookUrl } from '../../../server/src/platform/values/business-url.ts'
import type { SendOutcome } from '../../../server/src/webhooks/delivery/sender/exchange.ts'
import { createSender, type Sender, type SenderOptions } from '../../../server/src/webhooks/delivery/sender/sender.ts'
import { type Attempt, drawAttempt, type Expected } from './attempts.ts'
import { type Canary, openCanary } from './canary.ts'
import { startLure } from './lure.ts'
import { type NameServer, startNameServer } from './name-server.ts'
import { standAtTheDoor } from './turnstile.ts'

export type CampaignOptions = {
  count: number
  seed: number
  /** Index of the first attempt: to repeat one that was reported. */
  start?: number
  /** The one under test. */
  makeSender?: (options: SenderOptions) => Sender
}

export type Figures = {
  attempts: number
  /** Accepted by the canary: there must be none. */
  connections: number
  /** Dialled though not public, or by a name: there must be none. */
  forbiddenDials: number
  /** Not refused although the address was known to be forbidden: there must be none. */
  notRefused: number
  /** Taken for a fit webhook URL although its host is a forbidden literal: there must be none. */
  wronglyFit: number
  refused: number
  /** Dialled as public, and turned back by us. */
  publicDials: number
  /** Answered with a redirect or another way elsewhere, which must not be followed. */
  lures: number
  questions: number
  canary: { listeners: number; reachedByException: number }
  seed: number
  durationMs: number
}

/** `examples`: the first violations, each with the flags that repeat it. */
export type Report = Figures & { examples: string[] }

type Tally = Pick<Report, 'attempts' | 'notRefused' | 'wronglyFit' | 'refused' | 'examples'>

const concurrency = 64
const examplesMax = 10
// Of the resolver's first try; a silent name server costs three times as much. Answers on loopback take under 1 ms, but on a
// machine that runs browsers besides this process stood still for longer than 500 ms: the lookup failed, and nothing was refused.
const dnsTimeoutMs = 2_000
const sendTimeoutMs = 10_000

/** @throws Error when the canary cannot be reached on purpose: then silence would prove nothing */
export async function runCampaign(options: CampaignOptions): Promise<Report> {
  const { count, seed, start = 0, makeSender = createSender } = options
  const startedAt = performance.now()
  await using canary = await openCanary()
  await using nameServer = await startNameServer()
  const lookup = nameServer.lookup(dnsTimeoutMs)
  const settings = { lookup, timeoutMs: sendTimeoutMs, poolsMax: concurrency }
  const reachedByException = await reachOnPurpose(canary, nameServer, settings)

  const tally: Tally = { attempts: 0, notRefused: 0, wronglyFit: 0, refused: 0, examples: [] }
  const before = await canary.accepted()
  const door = standAtTheDoor(lookup)
  const senders = {
    live: makeSender({ ...settings, allowLoopback: false }),
    sandbox: makeSender({ ...settings, allowLoopback: true }),
  }
  let lures = 0
  try {
    let next = start
    const work = async (): Promise<void> => {
      while (tally.attempts < count) {
        const index = next++
        await tryOne(
          drawAttempt(seed, index, canary.ports),
          `--seed ${seed} --start ${index}`,
          senders,
          nameServer,
          tally,
        )
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    lures = await followLures(senders.sandbox, canary, door.allow)
  } finally {
    await Promise.all([senders.live.close(), senders.sandbox.close()])
    door[Symbol.dispose]()
  }
  const connections = (await canary.accepted()) - before
  await reachOnPurpose(canary, nameServer, settings)
  return {
    ...tally,
    connections,
    forbiddenDials: door.forbiddenDials,
    publicDials: door.publicDials,
    lures,
    questions: nameServer.questions,
    canary: { listeners: canary.listeners, reachedByException },
    seed,
    durationMs: Math.round(performance.now() - startedAt),
    examples: [...tally.examples, ...door.examples].slice(0, examplesMax),
  }
}

async function tryOne(
  attempt: Attempt,
  how: string,
  senders: Readonly<Record<Attempt['mode'], Sender>>,
  nameServer: NameServer,
  tally: Tally,
): Promise<void> {
  const name = attempt.script === null ? null : nameServer.publish(attempt.script)
  const text = name === null ? attempt.text : attempt.text.replace('{name}', name)
  const report = (what: string): void => {
    if (tally.examples.length < examplesMax) tally.examples.push(`${what}: ${JSON.stringify(text)} (${how})`)
  }
  for (const expected of attempt.expected) {
    tally.attempts += 1
    if (name === null && expected === 'refused' && isFit(text, attempt.mode)) {
      tally.wronglyFit += 1
      report('taken for fit')
    }
    // Past the first wall on purpose: what a stored URL of another version, or a gap in the form rules, would bring.
    const outcome = await senders[attempt.mode]
      .send({ businessId: 'cus_1', url: text, headers: {}, body: payload })
      .catch(() => null)
    if (outcome?.kind === 'refused_address') tally.refused += 1
    if (!isHarmless(outcome, expected)) {
      tally.notRefused += 1
      report(`ended as ${outcome?.kind}`)
    }
  }
  if (name !== null) nameServer.forget(name)
}

const payload = Buffer.from('{"event_type":"test.happened"}')

const isFit = (text: string, mode: Attempt['mode']): boolean =>
  parseWebhookUrl(text, { allowLoopbackHttp: mode === 'sandbox' }).ok

/** `null`: what cannot be sent at all, such as a text that is no URL. */
function isHarmless(outcome: SendOutcome | null, expected: Expected): boolean {
  if (outcome === null || outcome.kind === 'refused_address') return true
  return expected !== 'refused' && outcome.kind === 'connect_error'
}

/** Receivers that answer, and would send us on to the canary. */
async function followLures(sender: Sender, canary: Canary, allow: (port: number) => void): Promise<number> {
  await using lure = await startLure(canary.ports)
  allow(lure.port)
  for (let sent = 0; sent < lure.answers; sent++) {
    const outcome = await sender.send({ businessId: 'cus_1', url: lure.url, headers: {}, body: payload })
    if (outcome.kind !== 'response') throw new Error(`the lure was not reached: ${outcome.kind}`)
  }
  return lure.answers
}

/** By the exception for loopback: literal, localhost, and a name that the name server knows. @returns how often */
async function reachOnPurpose(
  canary: Canary,
  nameServer: NameServer,
  settings: Omit<SenderOptions, 'allowLoopback'>,
): Promise<number> {
  const sender = createSender({ ...settings, allowLoopback: true })
  const name = nameServer.publish([{ a: ['127.0.0.1'] }])
  const before = await canary.accepted()
  let reached = 0
  try {
    for (const port of canary.ports) {
      for (const host of ['127.0.0.1', '2130706433', 'localhost', name]) {
        const outcome = await sender.send({
          businessId: 'cus_1',
          url: `http://${host}:${port}/`,
          headers: {},
          body: payload,
        })
        if (outcome.kind !== 'response' || outcome.status !== 200)
          throw new Error(`the canary did not answer to ${host} port ${port}: ${outcome.kind}`)
        reached += 1
      }
    }
  } finally {
    await sender.close()
    nameServer.forget(name)
  }
  const counted = (await canary.accepted()) - before
  if (counted !== reached) throw new Error(`the canary counted ${counted} of ${reached} connections`)
  return reached
}
