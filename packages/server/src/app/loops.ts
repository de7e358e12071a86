// Which loops a process runs, and how other processes wake them.

import { startApplyLoop } from '../events/ingest/jobs.ts'
import type { Loop } from '../platform/loop.ts'
import { channelOf, type LoopName, loopNames, wakeOnCommit } from '../platform/postgres/notify.ts'
import { startHistoryLoop } from '../platform/postgres/partitions/jobs.ts'
import { startReconcileLoop } from '../provider/reconcile/jobs.ts'
import { SendLoop } from '../webhooks/delivery/loop.ts'
import type { Sender } from '../webhooks/delivery/sender/sender.ts'
import { startReplayLoop } from '../webhooks/replay/service.ts'
import type { Deps, ServerDeps } from './context.ts'
import { startResumeLoop } from './resume.ts'
import { startSweepLoop } from './sweep.ts'

/** `api`: requests only; `relay`: what happens in the background only. */
export type Role = 'all' | 'api' | 'relay'

export type Loops = {
  stop(): Promise<void>
  /** After `stop`: deliveries in flight get this long. */
  drain(graceMs: number): Promise<void>
}

type Wakeable = { wake(): void; hint?(about: string): void }

/** Loops start after the server listens, but notifications may come, and be sent, before. */
export type LoopRegistry = {
  /** For `db.listen`. */
  handlers: Readonly<Record<string, (about: string) => void>>
  wake(loop: LoopName): void
  start(deps: ServerDeps, sender: Sender, role: Role): Loops
}

/** Makes the registry of a process. @param notify wakes a loop that does not run in this process */
export function createLoopRegistry(notify: (loop: LoopName) => void): LoopRegistry {
  const running: Partial<Record<LoopName, Wakeable>> = {}
  let isStarted = false
  const onNotify = (name: LoopName) => (about: string) => {
    const loop = running[name]
    if (loop?.hint) loop.hint(about)
    else loop?.wake()
  }
  return {
    handlers: Object.fromEntries(loopNames.map((name) => [channelOf(name), onNotify(name)])),
    wake(name) {
      const loop = running[name]
      if (loop) loop.wake()
      else if (isStarted) notify(name)
    },
    start(deps, sender, role) {
      isStarted = true
      if (role === 'api') {
        const sweep = startSweepLoop(deps, true)
        return { stop: () => sweep.stop(), drain: () => sender.close() }
      }
      const send = new SendLoop(deps, sender)
      const named: Record<LoopName, Loop> = {
        send,
        apply: startApplyLoop(deps),
        resume: startResumeLoop(deps),
        reconcile: startReconcileLoop(deps),
        replay: startReplayLoop(deps),
      }
      Object.assign(running, named)
      const all = [...Object.values(named), startSweepLoop(deps), startHistoryLoop(deps)]
      return {
        stop: async () => void (await Promise.all(all.map((loop) => loop.stop()))),
        drain: (graceMs) => send.drain(graceMs),
      }
    },
  }
}

/** Wakes the loop in every process that runs it. Without a notification a loop looks by itself within half a minute. */
export function notifyPeers(deps: Pick<Deps, 'db' | 'log'>): (loop: LoopName) => void {
  return (loop) =>
    void deps.db
      .transaction((tx) => wakeOnCommit(tx, loop))
      .catch((err: unknown) => deps.log.debug({ err, loop }, 'notification of the other replicas failed'))
}
