// The world of a proof: replicas, database, provider and businesses, set up from outside only.

import type { Clock, Database, DatabasePlan, Redis } from './databases/database.ts'
import type { Attempt } from './ledger.ts'
import type { FaultProxy } from './network/proxy.ts'

export type Settings = Readonly<Record<string, string>>
/** The command that starts the CLI: this checkout, or a packed version. */
export type Program = readonly [string, ...string[]]

export type WorldPlan<D extends Database> = {
  database: DatabasePlan<D>
  /** Default: 3. */
  replicas?: number
  settings?: Settings
  settingsOf?: (index: number) => Settings
  /** Arguments of `causeway serve` of one replica. */
  argsOf?: (index: number) => readonly string[]
  program?: Program
  /** `blind`: round robin, including dead replicas. `balancer`: only replicas that /readyz reports as ready, with retries where safe. */
  route?: 'blind' | 'balancer'
  /** `emulator`: a process with state, which can die. `silent`: nothing responds, and only the load sends events. */
  provider?: 'emulator' | 'silent'
  /** Default: one business with a `best_effort` and a `per_end_user` endpoint. */
  businesses?: readonly BusinessPlan[]
  /** Puts a fault proxy on each connection: each replica's database, the provider, its webhooks, the receivers. */
  lines?: boolean
  /** The first replica's clock can be stepped. */
  clock?: boolean
  redis?: boolean
  /** The seed of the receivers. */
  seed?: number
}

export type BusinessPlan = { endpoints: readonly EndpointPlan[]; endUsers?: number }
/** A receiver's conduct: today's eight receiver programs in one table. */
export type EndpointPlan = {
  ordering: 'best_effort' | 'per_end_user'
  conduct?: Conduct
  /** Received by another process, so that what it costs slows no other receiver. */
  apart?: boolean
  /** A receiver of the proof's own, in place of the world's. */
  url?: string
}
export type Conduct =
  | 'healthy'
  | 'flaky'
  | 'forgetful'
  | 'never-read'
  | 'silent'
  | 'byte-a-second'
  | 'endless-body'
  | 'gzip-bomb'
  | 'redirect-loop'
  | 'reset'
  | 'interim-flood'

export type Business = {
  index: number
  id: string
  apiKey: string
  /** Planted in the data of this business; no other business may see it. */
  mark: string
  endpoints: readonly Endpoint[]
  /** External ids, as many as the plan names: provider events of the load are about these. */
  endUsers: readonly string[]
}
/** `name`: unique in the world, and the path of the endpoint's URL. */
export type Endpoint = EndpointPlan & { id: string; name: string; secret: string }

export type Call = { method: string; path: string; headers?: Settings; body?: string | Buffer }
/** `status` null: no response in time, or the connection broke. `replica`: the last that was tried; '' if none was ready. */
export type Sent = { status: number | null; headers: Settings; text: string; replica: string; tries: number }

export type Replica = {
  name: string
  url: string
  pid(): number
  kill(): Promise<void>
  /** Sends SIGTERM. @returns exit code, null if a signal or `limitMs` ended the process */
  terminate(limitMs?: number): Promise<number | null>
  freeze(): void
  thaw(): void
  /** Restarts at the same address, and waits until the replica is up. */
  restart(change?: { program?: Program; settings?: Settings }): Promise<void>
  /** The first lines of its log with this message. */
  logged(message: string): readonly string[]
}

/** Overrides of the plan for an added replica. */
export type ReplicaChange = {
  program?: Program
  args?: readonly string[]
  /** False: a replica without an API, say a relay; it is in neither the route nor `replicas`. Default: true. */
  isRouted?: boolean
}

export type LineName = 'provider' | 'webhooks' | 'receivers' | { replica: number }

export type World<D extends Database> = AsyncDisposable & {
  database: D
  replicas: readonly Replica[]
  businesses: readonly Business[]
  addBusiness(plan: BusinessPlan): Promise<Business>
  provider: Provider
  /** Every delivery that reached the world's receivers, in order of arrival. Grows. */
  attempts: readonly Attempt[]
  /** For operations of the operator, as a bearer token. */
  adminSecret: string
  clock: Clock
  redis: Redis
  /** Sends a request as a caller does, by the plan's route: `blind` once, to the next replica; `balancer` again where safe. */
  send(call: Call, limitMs: number): Promise<Sent>
  /** The errors that replicas logged as unexpected, those of removed replicas included. */
  unexpected(): readonly string[]
  /** `webhooks`: from the provider. `replica`: from its index to the database. Only `webhooks` exists without `lines`. */
  lineOf(line: LineName): FaultProxy
  /** Adds a replica, in the balancer once it is ready. */
  addReplica(change?: ReplicaChange): Promise<Replica>
  /** Sends SIGTERM to a replica, and removes it from the balancer and `replicas`. @returns its exit code, null if it had to be killed */
  removeReplica(replica: Replica, limitMs: number): Promise<number | null>
  /** Runs an operator's command line on this database. */
  operator(...args: readonly string[]): Promise<{ code: number | null; answer: unknown; stderr: string }>
  /** Removes all faults and restarts all victims. */
  heal(): Promise<void>
}

export type Provider = {
  /** The process ID of the emulator; 0 if there is none. */
  pid(): number
  /** Returns the value of `X-Webhook-Signature` for a body that is sent now. */
  sign(body: string): string
  /** Sends a signed event once, by the plan's route. */
  post(body: string, limitMs: number): Promise<Sent>
  /** SIGKILL, and a new process on the same state. */
  die(downMs: number): Promise<void>
  /** Asks the emulator directly, past all faults; repeated while it is down. */
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>
  /** @returns null if the provider is silent */
  record(): Promise<ProviderRecord | null>
}
export type ProviderRecord = Readonly<Record<'customers' | 'accounts' | 'events', readonly Record<string, unknown>[]>>
