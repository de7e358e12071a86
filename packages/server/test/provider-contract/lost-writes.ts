// A write is lost at each call that it makes, in each way; then it is settled as the core settles it: by the adapter's traits.

import assert from 'node:assert/strict'
import { type Provider, ProviderError, type Write, type WriteKind } from '../../src/provider/port.ts'
import { type Loss, losses } from './wire.ts'
import { freshWrite, type Part, type With, type World } from './worlds.ts'

/** Long enough for a response that is only late under load; each lost response costs a story all of it. */
const hastyMs = 700

/**
 * Sends the write while the line loses its calls, and settles it afterwards.
 * @param find finds the outcome of the write at the provider, for a write that is not repeated before a read
 */
export type Lose<Parts extends Part> = <T>(
  send: (write: Write, provider: With<Parts>) => Promise<T>,
  find?: () => Promise<T | null>,
) => Promise<T>

/** The kinds of writes of which the stories have lost a call. */
export const lostKinds = new Set<WriteKind>()

/**
 * Runs `story` for each way of losing and each call of the write, the first, the second and so on, until a write makes fewer
 * calls. `story` prepares its own objects, and loses one write.
 */
export async function eachLoss<Parts extends Part>(
  world: World<Parts>,
  kind: WriteKind,
  story: (lose: Lose<Parts>, how: Loss) => Promise<void>,
): Promise<void> {
  for (const how of losses) {
    let isStruck = true
    for (let call = 1; isStruck; call++) {
      await story(async (send, find) => {
        const write = freshWrite()
        world.wire.lose(how, call, world.kill)
        const outcome = await outcomeOf(send(write, world.adapter(how === 'hung' ? { timeoutMs: hastyMs } : {})))
        isStruck = world.wire.lost() > 0
        if (isStruck) lostKinds.add(kind)
        world.wire.heal()
        if (isStruck && how.startsWith('killed')) await world.revive()
        if ('value' in outcome) return outcome.value
        assert.ok(isStruck, 'a write that lost nothing succeeds')
        const { failure } = outcome
        assert.equal(failure.kind, how === 'failed' ? 'unavailable' : 'timeout', `${kind} ${how}`)
        assert.ok(failure.outcomeUnknown)
        return await settle(world.provider.traits, kind, () => send(write, world.provider), find)
      }, how)
    }
  }
}

type Outcome<T> = { value: T } | { failure: ProviderError }

async function outcomeOf<T>(sent: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await sent }
  } catch (failure) {
    assert.ok(failure instanceof ProviderError, `${failure}`)
    return { failure }
  }
}

async function settle<T>(
  { repeats }: Provider['traits'],
  kind: WriteKind,
  repeat: () => Promise<T>,
  find?: () => Promise<T | null>,
): Promise<T> {
  if (repeats[kind] !== 'read_first') return await repeat()
  assert.ok(find, `${kind} has no read step, so it cannot be read_first`)
  return (await find()) ?? (await repeat())
}
