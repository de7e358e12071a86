// Readiness as a load balancer sees it: `/readyz` of each replica, called twice a second.

import { setTimeout as delay } from 'node:timers/promises'
import type { Notes } from '../ledger.ts'
import type { Replica } from '../world.ts'

const everyMs = 500
const answerMsMax = 5_000

/** Calls until `isOver`, including replicas that are added later. One call at a time per replica. */
export async function watchReadiness(
  replicas: () => readonly Replica[],
  { checks }: Notes,
  isOver: () => boolean,
): Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  while (!isOver()) {
    for (const { name, url } of replicas()) {
      if (underWay.has(name)) continue
      const check = ask(url).then((answer) => {
        checks.push({ replica: name, ...answer })
        underWay.delete(name)
      })
      underWay.set(name, check)
    }
    await delay(everyMs)
  }
  await Promise.all(underWay.values())
}

async function ask(url: string): Promise<{ atMs: number; tookMs: number; status: number | null }> {
  const beganAt = performance.now()
  const status = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMsMax) })
    .then(async (response) => {
      await response.arrayBuffer()
      return response.status
    })
    .catch(() => null)
  return { atMs: Date.now(), tookMs: performance.now() - beganAt, status }
}
