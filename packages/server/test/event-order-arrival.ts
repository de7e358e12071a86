// Delivers the provider's events to a business of the story: in order, or with everything that a network and an
// attacker can do to them. Each disturbance is counted, so that no run passes without any.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Player } from './event-order-story.ts'
import { type Envelope, freshEventId } from './provider.ts'
import type { World } from './world.ts'

export const ways = ['in order', 'shuffled', 'repeated', 'dropped'] as const
type Way = (typeof ways)[number]

/** An event to be posted to a business. */
type Post = { event: Envelope; signature: 'real' | 'none' | 'bent' }

/** Counts of disturbances in the events of one business. */
type Trouble = { inversions: number; late: number; repeats: number; renamed: number; drops: number; forgeries: number }

export type Cohort = Player & { way: Way; pending: Post[]; lastSequence: number; trouble: Trouble }

export type Draw = <T>(what: fc.Arbitrary<T>) => T

export async function deliver(world: World, cohort: Cohort, posts: readonly Post[]): Promise<void> {
  for (const { event, signature } of posts) {
    const sequence = Number(event['event_sequence'])
    if (sequence < cohort.lastSequence) cohort.trouble.inversions += 1
    cohort.lastSequence = sequence
    const answer =
      signature === 'bent' ? await postBent(world, event) : await world.post(event, { signed: signature === 'real' })
    assert.equal(answer.status, signature === 'bent' ? 401 : 200, answer.text)
  }
}

/** The signature of another text. */
async function postBent(world: World, event: Envelope) {
  const headers = { 'x-webhook-signature': world.signer.sign(`${JSON.stringify(event)} `) }
  return await world.business.call('POST', '/v0/webhooks/provider', event, { key: null, headers })
}

/** An attacker's version: the ID of the real event, and another outcome. */
function forgeryOf(event: Envelope): Envelope {
  const lies = { status: 'offboarded', type: 'refund', amount: '9000000.0', currency: 'eur' }
  const object = Object.entries(event.event_object).map(([name, told]) => [
    name,
    lies[name as keyof typeof lies] ?? told,
  ])
  return { ...event, event_object: Object.fromEntries(object) }
}

/**
 * What becomes of a new event on its way.
 * @param isLast nothing comes after the event, so a dropped one cannot be found by a later look at the same object
 */
export function fateOf(cohort: Cohort, event: Envelope, draw: Draw, isLast: boolean): Post[] {
  const { way, trouble } = cohort
  const real: Post = { event, signature: 'real' }
  if (way === 'in order' || way === 'shuffled') return [real]
  // The first ones are not left to chance, so that no run goes without.
  const isDue = (count: number, oneIn: number) => draw(fc.nat(oneIn - 1)) === 0 || count === 0
  if (way === 'repeated') {
    const copies = isDue(trouble.repeats, 2) ? draw(fc.integer({ min: 1, max: 2 })) : 0
    const isRenamed = copies > 0 && isDue(trouble.renamed, 2)
    trouble.repeats += copies
    trouble.renamed += isRenamed ? 1 : 0
    const again = isRenamed ? { ...event, event_id: freshEventId() } : event
    return [real, ...Array.from({ length: copies }, (): Post => ({ event: again, signature: 'real' }))]
  }
  // No forgery is made of a dropped event: an unsigned event makes the server read the object, which would find the drop.
  if (isLast || isDue(trouble.drops, 3)) {
    trouble.drops += 1
    return []
  }
  if (!isDue(trouble.forgeries, 4)) return [real]
  trouble.forgeries += 1
  return [real, { event: forgeryOf(event), signature: draw(fc.constantFrom('none' as const, 'bent' as const)) }]
}

/** A part of what is on its way arrives, in any order; at the end all of it. */
export async function arrive(world: World, cohort: Cohort, draw: Draw, isEnd: boolean): Promise<void> {
  const { pending, trouble } = cohort
  const places = draw(fc.shuffledSubarray([...pending.keys()], { minLength: pending.length }))
  // Chance may have put everything in order, so far and now.
  if (isEnd && trouble.inversions === 0) places.sort((one, other) => other - one)
  const shuffled = places.flatMap((place) => pending[place] ?? [])
  const held = isEnd ? 0 : Math.floor(shuffled.length * 0.4)
  trouble.late += held
  cohort.pending = shuffled.slice(0, held)
  await deliver(world, cohort, shuffled.slice(held))
}

export function assertTroubled(cohorts: readonly Cohort[]): void {
  const [, shuffled, repeated, dropped] = cohorts.map(({ trouble }) => trouble)
  assert.ok(shuffled && shuffled.inversions > 0 && shuffled.late > 0, 'nothing was shuffled')
  assert.ok(repeated && repeated.inversions > 0 && repeated.repeats > 0 && repeated.renamed > 0, 'nothing was repeated')
  assert.ok(dropped && dropped.inversions > 0 && dropped.drops > 0 && dropped.forgeries > 0, 'nothing was dropped')
}
