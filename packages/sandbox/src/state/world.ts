// What every operation of the emulator gets as its first argument: the state, the clock, the settings and two verbs.

import type { Behaviour } from './behaviour.ts'
import type { Clock } from './clock.ts'
import type { TaskKind } from './rows.ts'
import type { State } from './state.ts'

export type Settings = {
  apiKey: string
  kycDecisionMs: number
  depositStepMs: number
  /** Waits between attempts of one webhook delivery; after the last one the endpoint's delivery stops. */
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
  /** Unix milliseconds of the emulator's own time. */
  now(): number
  /** The public origin in links; known once the listener is bound. */
  origin(): string
  /** Has the scheduler run a task later. The due time is state, so the task survives a restart. */
  later(kind: TaskKind, subject: string, delayMs: number): void
  /** Takes back what was to be done later for the subject. */
  notLater(kind: TaskKind, subject: string): void
  /** Moves the emulator's time forward and does at once what becomes due. */
  advance(byMs: number): void
  /** Tells the webhook delivery that there may be something to send. */
  wakeDelivery(): void
}

export const timestamp = (world: World): string => new Date(world.now()).toISOString()
