// The first argument of every operation of the emulator: its state, clock, scheduler, settings and switches.

import type { Behaviour } from './behaviour.ts'
import type { Clock } from './clock.ts'
import type { TaskKind } from './rows.ts'
import type { State } from './state.ts'

export type Settings = {
  apiKey: string
  kycDecisionMs: number
  depositStepMs: number
  /** Waits between attempts of one webhook delivery. After the last one the delivery to the endpoint stops. */
  webhookRetryMs: readonly number[]
  webhookTimeoutMs: number
  strictAgreements: boolean
  embedOrigins: 'loopback' | string[]
}

export type World = {
  readonly state: State
  readonly settings: Settings
  readonly clock: Clock
  readonly behaviour: Behaviour
  /** Returns the emulator's time in unix milliseconds. */
  now(): number
  /** Returns the public origin of links, which is known once the listener is bound. */
  origin(): string
  /** Schedules a task. Tasks are stored, so they outlive a restart. */
  schedule(kind: TaskKind, subject: string, delayMs: number): void
  /** Removes the subject's tasks of this kind. */
  cancel(kind: TaskKind, subject: string): void
  /** Moves the emulator's time forward and runs the tasks that become due. */
  advance(byMs: number): void
  /** Makes the webhook delivery look for events to send. */
  wakeDelivery(): void
}

export const timestamp = (world: World): string => new Date(world.now()).toISOString()
