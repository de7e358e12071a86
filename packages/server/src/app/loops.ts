// Which loops a process runs, and how other processes wake them.

import { startAlertLoops } from '../alerts/jobs.ts'
import { startRequestLogLoop } from '../businesses/requests/jobs.ts'
import { startApplyLoop } from '../events/ingest/jobs.ts'
import { type Core, serverCoreOf } from '../platform/core.ts'
import type { Sender } from '../platform/guarded-http/sender.ts'
import type { Loop } from '../platform/loop.ts'
import {
  channelOf,
  deliveriesChannel,
  deliveriesChannelOf,
  type LoopName,
  loopNames,
  wakeOnCommit,
} from '../platform/postgres/notify.ts'
import { startHistoryLoop } from '../platform/postgres/partitions/jobs.ts'
import { startReconcileLoop } from '../reconcile/jobs.ts'
import { startRecheckLoop } from '../sign-in/jobs.ts'
import { startStatsLoop } from '../stats/jobs.ts'
import { SendLoop } from '../webhooks/delivery/loop.ts'
import { startReplayLoop } from '../webhooks/replay/service.ts'
import { startResumeLoop } from './resume.ts'
import { type Running, servicesOf } from './services.ts'
import { startSweepLoop, startWriterNoteLoop } from './sweep.ts'

/** `api`: requests only; `relay`: what happens in the background only. */
export type Role = 'all' | 'api' | 'relay'

/** The running loops. `drain` follows `stop`: deliveries in flight get this long. */
export type Loops = { stop(): Promise<unknown>; drain(graceMs: number): Promise<void> }

/**
 * Creates the registry of a process: loops start after the server listens, but notifications may arrive, and be sent,
 * before.
 * @param notify wakes a loop that does not run in this process
 */
export function createLoopRegistry(notify: (loop: LoopName) => void) {
  const running: Partial<Record<LoopName, Loop> & { send: SendLoop }> = {}
  let isStarted = false
  const onNotify = (name: LoopName) => (about: string) => {
    if (name === 'send') running.send?.hint(about)
    else running[name]?.wake()
  }
  const onDeliveries = (endpointIds: string) => running.send?.hintDeliveries(endpointIds)
  return {
    /** For `db.listen`. @param owner the name under which this process holds lanes */
    handlers: (owner: string) => ({
      ...Object.fromEntries(loopNames.map((name) => [channelOf(name), onNotify(name)])),
      [deliveriesChannel]: onDeliveries,
      [deliveriesChannelOf(owner)]: onDeliveries,
    }),
    wake(name: LoopName): void {
      const loop = running[name]
      if (loop) loop.wake()
      else if (isStarted) notify(name)
    },
    start(deps: Running, sender: Sender, role: Role): Loops {
      isStarted = true
      if (role === 'api') {
        const own = [startSweepLoop(deps, true), startWriterNoteLoop(deps), startRequestLogLoop(deps)]
        return { stop: () => Promise.all(own.map((loop) => loop.stop())), drain: () => sender.close() }
      }
      const [core, services] = [serverCoreOf(deps), servicesOf(deps)]
      const send = new SendLoop(services.delivers(core), sender)
      const named = {
        send,
        apply: startApplyLoop(services.applies(core)),
        resume: startResumeLoop(core, services),
        reconcile: startReconcileLoop(services.reconciles(core)),
        replay: startReplayLoop(core),
        alerts: startAlertLoops(services.alerts(core)),
      } satisfies Record<LoopName, Loop>
      Object.assign(running, named)
      const starts = [startSweepLoop, startWriterNoteLoop, startRequestLogLoop, startStatsLoop, startHistoryLoop]
      const unnamed = [...starts.map((start) => start(deps)), startRecheckLoop(services.signsIn(core))]
      const all = [...Object.values(named), ...unnamed]
      return {
        stop: () => Promise.all(all.map((loop) => loop.stop())),
        drain: (graceMs) => send.drain(graceMs),
      }
    },
  }
}

/**
 * Wakes the loop in every process that runs it. Without a notification, a loop checks for work within half a minute.
 */
export function notifyPeers(deps: Pick<Core, 'db' | 'log'>): (loop: LoopName) => void {
  return (loop) =>
    void deps.db
      .transaction((tx) => wakeOnCommit(tx, loop))
      .catch((err: unknown) => deps.log.debug({ err, loop }, 'replica notification failed'))
}
