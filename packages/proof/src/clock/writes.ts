// One small write after the other, each with an Idempotency-Key and sent twice: whether writes are answered does not
// hang on what a story waits for.

import { setTimeout as delay } from 'node:timers/promises'
import { request } from '../../../server/test/caller.ts'
import { type Heard, heardOf } from '../chaos/caller.ts'
import type { Fleet } from '../fleet/fleet.ts'

export type Writes = {
  heard: readonly Heard[]
  /** Repeats that were answered otherwise than the first request. */
  differing(): number
  stop(): Promise<void>
}

const pauseMs = 250

export function startWrites({ business, nextUrl }: Fleet, seed: number): Writes {
  const heard: Heard[] = []
  let isOver = false
  let differing = 0
  const write = async (key: string): Promise<string | null> => {
    const headers = { authorization: `Bearer ${business.apiKey}`, 'idempotency-key': key }
    const beganAt = performance.now()
    const body = { externalUserId: key }
    const answer = await request('POST', `${nextUrl()}/v0/end-users`, body, { headers }).catch(() => null)
    heard.push(heardOf('write', beganAt, answer))
    return answer?.status === 200 ? JSON.stringify(answer.body.data) : null
  }
  const run = async (): Promise<void> => {
    for (let place = 0; !isOver; place++) {
      const key = `clock-write-${seed}-${place}`
      const [first, second] = [await write(key), await write(key)]
      if (first !== null && second !== null && first !== second) differing += 1
      await delay(pauseMs)
    }
  }
  const running = run()
  return {
    heard,
    differing: () => differing,
    async stop() {
      isOver = true
      await running
    },
  }
}
