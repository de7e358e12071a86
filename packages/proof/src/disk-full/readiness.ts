// What `/readyz` says while the disk is full, asked twice a second as a load balancer does, and whether the log has the cause.

import { setTimeout as delay } from 'node:timers/promises'
import type { Heard } from '../rig/load/caller.ts'

type Look = { url: string; atMs: number; isReady: boolean }
export type ReadinessWatch = { looks: readonly Look[]; stop(): Promise<void> }

/** From the first refused write: a process that refuses writes for longer and says that it is ready gets traffic. */
export const notReadyMsMax = 10_000
const pauseMs = 500
const answerMsMax = 5_000

export function watchReadiness(urls: readonly string[]): ReadinessWatch {
  const looks: Look[] = []
  let isOver = false
  const run = async (url: string): Promise<void> => {
    while (!isOver) {
      const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMsMax) }).then(
        (response) => response.ok,
        () => false,
      )
      looks.push({ url, atMs: Date.now(), isReady })
      await delay(pauseMs)
    }
  }
  const running = Promise.all(urls.map(run))
  return {
    looks,
    async stop() {
      isOver = true
      await running
    },
  }
}

export type Full = { fullAtMs: number; freedAtMs: number }

/**
 * Finds when the slowest process said that it is not ready.
 * @returns milliseconds from the first refused write; null where the disk had room again before that was due; `never` where one
 * process stayed ready
 */
export function notReadyAfterMs(
  looks: readonly Look[],
  heard: readonly Heard[],
  { fullAtMs, freedAtMs }: Full,
): number | null | 'never' {
  const refusals = heard.filter(({ what, status, atMs }) => what === 'write' && status === 503 && atMs > fullAtMs)
  const refusedAtMs = Math.min(...refusals.map(({ atMs }) => atMs))
  const waits = [...Map.groupBy(looks, ({ url }) => url).values()].map((ofOne) => {
    const first = ofOne.find(({ atMs, isReady }) => !isReady && atMs > fullAtMs && atMs < freedAtMs)
    return first === undefined ? Number.POSITIVE_INFINITY : Math.max(0, first.atMs - refusedAtMs)
  })
  const slowest = Math.max(...waits)
  if (Number.isFinite(slowest)) return slowest
  return freedAtMs - refusedAtMs > notReadyMsMax ? 'never' : null
}

/** Whether a log has PostgreSQL's own words for a full disk, and what to do about it. */
export function tellsCause(log: string): boolean {
  const line = log.split('\n').find((text) => text.includes('"message":"database refuses work"'))
  return line !== undefined && /No space left on device/.test(log) && line.includes('"remedy":')
}

export function faultsOfReadiness(figures: { notReadyMs: readonly (number | null | 'never')[]; tellsCause: boolean }) {
  const faults = figures.notReadyMs
    .filter((wait) => wait === 'never' || (wait !== null && wait > notReadyMsMax))
    .map((wait) => `/readyz said 503 ${wait === 'never' ? 'never' : `after ${wait} ms`}, while writes were refused`)
  if (figures.notReadyMs.every((wait) => wait === null))
    faults.push('no round was full for long enough to judge /readyz')
  if (!figures.tellsCause) faults.push('the log never said that the disk is full')
  return faults
}
