// A story: two businesses of its own, one whole walk through the product, then random operations on the objects known by
// then. It checks the form of each answer, and the facts about created, foreign and deleted objects.

import { type Answer, type Operation, operations } from '../../../server/test/caller.ts'
import type { Names } from '../../../server/test/http/operation-matrix.ts'
import { freshMark } from '../fuzz/marks.ts'
import type { FuzzWorld } from '../fuzz/world.ts'
import { checkFacts } from './facts.ts'
import { type Finding, judge } from './judge.ts'
import { drawOf } from './requests/draw.ts'
import { type Business, bury, learn } from './requests/known-objects.ts'
import type { RequestPlace } from './requests/parts.ts'
import { type Kind, type Made, makeRequest } from './requests/requests.ts'
import type { Wire } from './requests/wire.ts'
import type { Ask } from './steps.ts'
import { openBusinesses, walkThrough } from './walk.ts'

export type Tally = {
  requests: number
  statuses: Map<string, Map<number, number>>
  report(finding: Finding, made: Made, story: number): void
}

export type Stage = {
  world: FuzzWorld
  wire: Wire
  tally: Tally
  seed: number
  signal: AbortSignal
  isOver(): boolean
}

const requestsPerStory = 140
// Moving the clock of the emulator moves everybody's.
const rare: ReadonlySet<string> = new Set(['moveSandboxClock', 'resetSandbox', 'createCustomer', 'submitKyc'])
const weighted = operations.flatMap((operation) =>
  rare.has(operation.id) ? [operation] : [operation, operation, operation],
)

export async function tellStory(stage: Stage, index: number): Promise<void> {
  const draw = drawOf(stage.seed, index)
  const { facts, inboxUrl } = stage.world
  const ask = asker(stage, index)
  const [business, foreign] = await openBusinesses(ask, facts.adminSecret)
  const place: RequestPlace = {
    making: { draw, mark: freshMark },
    business,
    foreign,
    inboxUrl,
    adminSecret: facts.adminSecret,
  }
  await walkThrough(ask, place, stage.world, draw.oneIn(2))
  if (draw.oneIn(2)) await walkThrough(ask, { ...place, business: foreign, foreign: business }, stage.world, false)
  for (let told = 0; told < requestsPerStory && !stage.isOver(); told++) {
    const operation = draw.pick(weighted)
    const kind = draw.pick<Kind>(['valid', 'valid', 'broken', 'broken', 'hostile'])
    const made = makeRequest(operation, kind, place)
    const answer = await ask(made, business)
    if (answer?.status === 200 && made.sent.method === operation.method) remember(operation, made, answer, business)
    if (answer) await checkFacts(ask, place, made, answer)
  }
}

export function asker(stage: Stage, index: number): Ask {
  const { wire, tally, world } = stage
  const report = (made: Made) => (finding: Finding) => tally.report(finding, made, index)
  const ask: Ask = async (made, learner) => {
    stage.signal.throwIfAborted()
    tally.requests += 1
    let answer: Answer
    try {
      answer = await wire.send(made.sent)
    } catch (error) {
      const alive = world.isRunning() ? '' : '; the server is gone'
      report(made)({
        kind: 'serverError',
        what: `no answer: ${error instanceof Error ? error.message : String(error)}${alive}`,
      })
      if (!world.isRunning()) throw new Error('the server is gone')
      return null
    }
    const counts = tally.statuses.get(made.operation.id) ?? new Map<number, number>()
    tally.statuses.set(made.operation.id, counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1))
    for (const finding of judge(made, answer)) report(made)(finding)
    if (learner && answer.status === 200) learn(learner, answer.body)
    return answer
  }
  ask.report = (made, what) => report(made)({ kind: 'modelBreak', what })
  return ask
}

const endings: Readonly<Record<string, keyof Names>> = {
  eraseEndUser: 'externalUserId',
  deleteWebhookEndpoint: 'webhookEndpoint',
}

function remember(operation: Operation, { sent }: Made, answer: Answer, business: Business): void {
  const named = decodeURIComponent(sent.path.split('?', 1)[0]?.split('/')[3] ?? '')
  const noun = endings[operation.id]
  if (noun) bury(business, noun, named)
  if (operation.id === 'resetSandbox') {
    for (const forgotten of ['externalUserId', 'account', 'deposit'] as const)
      for (const name of business.living.get(forgotten) ?? []) bury(business, forgotten, name)
  }
  if (operation.id === 'issueApiKey' && business.deadKeys.length < 5) {
    const { key } = answer.body.data as { key?: string }
    if (key) business.spareKeys.push({ id: answer.body.data.id, key })
  }
  if (operation.id === 'revokeApiKey') {
    const spare = business.spareKeys.find(({ id }) => id === named)
    if (spare) business.deadKeys.push(spare.key)
  }
}
