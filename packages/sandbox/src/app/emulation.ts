// The contract between the listener and an emulated provider.
import type { FastifyInstance } from 'fastify'
import type { EmbedOrigins } from '../pages/origins.ts'
import type { Operation } from '../platform/operations.ts'
import type { Behaviour } from '../state/behaviour.ts'
import type { Clock } from '../state/clock.ts'
import type { Database } from '../state/database.ts'
import type { Refusals } from './faults.ts'

export type Settings = {
  apiKey: string
  kycDecisionMs: number
  depositStepMs: number
  /** Waits between attempts of one webhook delivery. After the last one the delivery to the endpoint stops. */
  webhookRetryMs: readonly number[]
  webhookTimeoutMs: number
  strictAgreements: boolean
  embedOrigins: EmbedOrigins
}

/** Provided by the listener. */
export type Host = {
  /** Null keeps the state in memory only. */
  database: Database | null
  settings: Settings
  /** Returns the machine's time in unix milliseconds. */
  now(): number
  /** Returns the public origin of links, which is known once the listener is bound. */
  origin(): string
}

/** Provided by an emulated provider. */
export type Emulation = {
  /** Where the paths of its wire begin, such as `/v0`. */
  prefix: string
  clock: Clock
  behaviour: Behaviour<string>
  /** Its refusals that a fault may order, by code. */
  refusals: Refusals
  /** The body of its 500. */
  unexpectedBody: unknown
  /** Control commands in addition to the common ones. */
  commands: Operation[]
  /** Registers its wire and its hosted pages. */
  install(app: FastifyInstance): Promise<void>
  /** Replaces the placeholders of links in a JSON text by URLs. */
  reveal(json: string): string
  /** Moves the emulator's time forward and runs the tasks that become due. */
  advance(byMs: number): void
  /** Forgets every row. */
  reset(): void
  start(): void
  stop(): void
}
