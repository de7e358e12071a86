// Small calls, one after the other for each caller: creations of end-users, lists, and long-polls.

import { setTimeout as delay } from 'node:timers/promises'
import type { Chance } from '../chance.ts'
import { type CallerParts, complain, noted, Stuck } from './caller.ts'
import { refusalOf, type Teller } from './stories.ts'

type CallKind = 'create' | 'list' | 'poll'
export type CallsPlan = {
  callers: number
  /** In the mean. */
  pauseMs: number
  /** Chosen by weight. */
  of: Partial<Record<CallKind, number>>
  /** Whether creations have an Idempotency-Key, and are repeated under it. */
  keys: 'none' | 'key' | 'twice'
}

const paths = { list: '/v0/end-users?limit=5', poll: '/v0/events?after=now&wait=1' } as const

type CallsTeller = Teller & Pick<CallerParts, 'send' | 'answerMsMax'>

export async function makeCalls(teller: CallsTeller, plan: CallsPlan, name: string, chance: Chance): Promise<void> {
  const kinds = Object.entries(plan.of).flatMap(([kind, weight]) => Array<CallKind>(weight).fill(kind as CallKind))
  for (let place = 0; !teller.isOver(); place++) {
    const kind = chance.pick(kinds)
    try {
      if (kind === 'create') await create(teller, plan.keys, `${name}-${place}`)
      else await read(teller, paths[kind])
    } catch (error) {
      if (!(error instanceof Stuck)) throw error
      complain(teller.notes, error.message, 'stuck')
    }
    await delay(chance.below(2 * plan.pauseMs))
  }
}

async function read({ caller, notes }: CallsTeller, path: string): Promise<void> {
  const answer = await caller.get(path)
  if (!answer.ok) complain(notes, refusalOf(`GET ${path}`, answer))
}

async function create(teller: CallsTeller, keys: CallsPlan['keys'], externalUserId: string): Promise<void> {
  const { business, caller, notes } = teller
  const path = '/v0/end-users'
  const body = { externalUserId, metadata: { mark: business.mark } }
  const acknowledge = (id: string): void => {
    notes.acknowledged.push({ kind: 'end-user', business: business.index, externalUserId, id, isSubmitted: false })
  }
  if (keys === 'none') {
    // Without a key nobody may send it again, except the balancer where nothing can have been done.
    const headers = { authorization: `Bearer ${business.apiKey}`, 'content-type': 'application/json' }
    const call = { method: 'POST', path, headers, body: JSON.stringify(body) }
    const { status, text } = await noted('write', call, notes, () => teller.send(call, teller.answerMsMax))
    if (status === 200) acknowledge(String(JSON.parse(text).data.id))
    else if (status !== null && status < 500) complain(notes, `POST ${path} was answered ${status}: ${text}`)
    return
  }
  const created = await caller.write('POST', path, body, keys === 'twice' ? 'again' : 'once')
  if (created.ok) return acknowledge(String(created.data['id']))
  if (created.code !== 'end_user_already_exists' || created.tries === 1)
    complain(notes, refusalOf(`POST ${path}`, created))
}
