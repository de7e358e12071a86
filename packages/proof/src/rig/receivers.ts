// The receivers of a world, in a separate process: one program with a table of conducts.

import type { Attempt } from './ledger.ts'
import { startLineProcess } from './line-process.ts'
import type { Conduct } from './world.ts'

export type Receivers = AsyncDisposable & {
  port: number
  /** Every delivery that arrived, verified on arrival. Grows. */
  attempts: readonly Attempt[]
  /** Expects deliveries at `/<name>` from now on. Called before the first event of the endpoint. */
  expect(endpoint: Expected): Promise<void>
}

export type Expected = { name: string; secret: string; conduct: Conduct }

/** The output of the program: its port, the endpoints that it expects, and attempts. */
export type ReceiverLine = { port: number } | { expects: string } | Attempt

/** Draws what `flaky` does from `seed`. @param attempts where each delivery is noted */
export async function openReceivers(seed: number, attempts: Attempt[] = []): Promise<Receivers> {
  const waiting = new Map<string, () => void>()
  const child = await startLineProcess<ReceiverLine>(
    new URL('./receivers/process.ts', import.meta.url),
    [String(seed)],
    (line) => {
      if ('eventId' in line) attempts.push(line)
      else if ('expects' in line) waiting.get(line.expects)?.()
    },
  )
  if (!('port' in child.ready)) throw new Error('the receivers did not say their port')
  return {
    port: child.ready.port,
    attempts,
    expect(endpoint) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(endpoint.name, resolve)
      child.tell(endpoint)
      return promise
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}
