// The first argument of every operation of the emulated Bridge: its state, clock, scheduler, settings and switches.

import type { Settings } from '../../app/emulation.ts'
import type { Behaviour } from '../../state/behaviour.ts'
import type { Clock } from '../../state/clock.ts'
import type { BehaviourName } from './behaviour.ts'
import type { TaskKind } from './rows.ts'
import type { State } from './state.ts'

export type World = {
  readonly state: State
  readonly settings: Settings
  readonly clock: Clock
  readonly behaviour: Behaviour<BehaviourName>
  /** Returns the emulator's time in unix milliseconds. */
  now(): number
  /** Returns the public origin of links, which is known once the listener is bound. */
  origin(): string
  /** Schedules a task. Tasks are stored, so they outlive a restart. */
  schedule(kind: TaskKind, subject: string, delayMs: number): void
  /** Removes the subject's tasks of this kind. */
  cancel(kind: TaskKind, subject: string): void
  /** Makes the webhook delivery look for events to send. */
  wakeDelivery(): void
}

export const timestamp = (world: World): string => new Date(world.now()).toISOString()
