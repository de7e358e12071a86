// Signed events of the provider, one at a time for each end-user and repeated until acknowledged, so that their order is known.

import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Chance } from '../chance.ts'
import type { Notes } from '../ledger.ts'
import type { Provider } from '../world.ts'
import { complain, noted } from './caller.ts'

/** The prefix of the IDs of the load's own events, which the emulator never uses. */
export const eventPrefix = 'wh_rig_'

const repeatMs = 100

export type Sender = {
  provider: Provider
  notes: Notes
  isOver: () => boolean
  patience: AbortSignal
  answerMsMax: number
}

export async function sendEvents(
  { provider, notes, isOver, patience, answerMsMax }: Sender,
  about: { business: number; endUser: string; pauseMs: number; seed: number },
  chance: Chance,
): Promise<void> {
  const { business, endUser, pauseMs, seed } = about
  await delay(chance.below(2 * pauseMs)) // end-users that begin together would be a burst
  for (let place = 0; !isOver(); place++) {
    const eventId = `${eventPrefix}${seed}_${business}_${endUser}_${place}`
    const event = { event_id: eventId, event_type: 'test.happened', external_user_id: endUser, place }
    const body = JSON.stringify(event)
    for (;;) {
      const call = { method: 'POST', path: '/v0/webhooks/provider' }
      const { status } = await noted('event', call, notes, () => provider.post(body, answerMsMax))
      if (status === 200) break
      if (patience.aborted) return complain(notes, `event ${eventId} was never acknowledged`, 'stuck')
      await delay(repeatMs)
    }
    const bodyHash = createHash('sha256').update(body).digest('base64url')
    notes.acknowledged.push({ kind: 'event', business, eventId, endUser, place, bodyHash })
    await delay(chance.below(2 * pauseMs))
  }
}
