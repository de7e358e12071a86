// What a supervisor and its workers tell each other, over the channel that node:cluster opens between them. Other parts use the
// same channel, as the counters of limits do: a message of theirs is none of ours.

import type { MetricsSnapshot } from '../../platform/observe/combined-metrics.ts'
import type { ConnectionOptions } from '../../platform/postgres/client.ts'
import { isJsonObject } from '../../platform/values/json.ts'

export type ToWorker =
  /** `place`: which of `count` workers it is, from 1. `database`: the embedded one, which the supervisor holds. */
  | { kind: 'start'; place: number; count: number; database: ConnectionOptions | null }
  | { kind: 'stop' }
  | { kind: 'measure'; id: number }
  | { kind: 'metrics'; id: number; text: string }

export type ToSupervisor =
  /** The worker hears from now on: what is sent to it earlier is lost. */
  | { kind: 'ready' }
  | { kind: 'listening'; url: string }
  | { kind: 'measured'; id: number; snapshot: MetricsSnapshot }
  /** Asks for the metrics of all workers together. */
  | { kind: 'scrape'; id: number }

const ours = 'causeway'

export const wrap = (message: ToWorker | ToSupervisor) => ({ channel: ours, message })

/** @returns null for a message of another part */
export function unwrap<M extends ToWorker | ToSupervisor>(received: unknown): M | null {
  if (!isJsonObject(received) || received['channel'] !== ours) return null
  return received['message'] as M // the other end of the channel is a process of this very program, and used `wrap`
}
