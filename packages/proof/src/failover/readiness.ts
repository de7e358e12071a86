// What a load balancer is told while a host of PostgreSQL is away: `/readyz` of each replica, asked twice a second.

import { setTimeout as delay } from 'node:timers/promises'
import { longestGapMs, type Span } from '../fleet/answers.ts'

/** `status` null: no answer in time. */
export type Check = { url: string; atMs: number; tookMs: number; status: number | null }

export type Watch = { checks: readonly Check[]; stop(): Promise<void> }

const everyMs = 500
const answerMsMax = 5_000

export function watchReadiness(urls: readonly string[]): Watch {
  const checks: Check[] = []
  let isOver = false
  const watch = async (url: string): Promise<void> => {
    while (!isOver) {
      const beganAt = performance.now()
      const status = await ask(url)
      checks.push({ url, atMs: Date.now(), tookMs: Math.round(performance.now() - beganAt), status })
      await delay(everyMs)
    }
  }
  const watching = Promise.all(urls.map(watch))
  return {
    checks,
    async stop() {
      isOver = true
      await watching
    },
  }
}

async function ask(url: string): Promise<number | null> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMsMax) })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}

export type Readiness = {
  /** The longest time in which a replica was not ready. */
  notReadyMs: number
  slowestCheckMs: number
  uncheckedTimes: number
}

export function readinessOf(checks: readonly Check[], span: Span): Readiness {
  const within = checks.filter(({ atMs }) => atMs >= span.fromMs && atMs <= span.toMs)
  const gaps = [...Map.groupBy(within, ({ url }) => url).values()].map((ofOne) => {
    const isDown = ofOne.some(({ status }) => status !== 200)
    const readyTimes = ofOne.filter(({ status }) => status === 200).map(({ atMs }) => atMs)
    return isDown ? longestGapMs(readyTimes, span) : 0
  })
  return {
    notReadyMs: Math.max(0, ...gaps),
    slowestCheckMs: Math.max(0, ...within.map(({ tookMs }) => tookMs)),
    uncheckedTimes: within.filter(({ status }) => status === null).length,
  }
}
