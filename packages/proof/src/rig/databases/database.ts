// The access of a proof to the database of its world: the type of the handle determines which faults can be written.

/** Where a database is, and what every proof may do with it. */
export type Database = AsyncDisposable & {
  /** DATABASE_URL of the replicas; `directUrl` is DATABASE_DIRECT_URL, if a pooler is in between. */
  url: string
  directUrl?: string
  /** The state folder of the one replica that manages this database itself, in place of DATABASE_URL. */
  home?: string
  /** Runs one statement on a session that is not Causeway's. */
  ask<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** How often the server exited unexpectedly, for example by a PANIC. */
  ends(): number
  /** Ends every fault: what was killed or frozen runs again, the disk has room, the clock is right. */
  heal(): Promise<void>
}

/** Opened with the world. The handle's type determines which faults a proof can write. */
export type DatabasePlan<D extends Database> = {
  /** Programs, and the Debian packages that have them: checked before anything starts. */
  needs: readonly (readonly [program: string, debianPackage: string])[]
  open(stack: AsyncDisposableStack): Promise<D>
}

/** `crash`: SIGKILL to the postmaster and its children, as when a host dies. `immediate`: PostgreSQL's stop without a checkpoint. */
export type Death = 'crash' | 'immediate'
export type Killable = Database & { kill(death?: Death): Promise<void>; start(): Promise<void> }
export type Disk = { fill(): void; free(): Promise<void> }
export type Clock = { stepTo(offsetSeconds: number): void }
export type Redis = { kill(): Promise<void>; start(): Promise<void>; freeze(): void; thaw(): void }

export type Backups = {
  baseBackup(): Promise<string>
  /** Resolves when all WAL so far is in the archive. */
  archived(): Promise<void>
  /** Restores the backup to `time` and starts it at the address of the lost server. */
  restoreTo(time: Date, backup: string): Promise<void>
  /** Takes a dump, and counts the rows of these tables in its snapshot. */
  dump(counted: readonly string[]): Promise<Dump>
}
export type Dump = { file: string; rows: Readonly<Record<string, number>> }

export type Host = { name: string; kill(): void; start(): void; freeze(): void; thaw(): void }
export type Cluster = Database & {
  hosts: readonly Host[]
  primary(): Promise<Host>
  /** Waits until another host is primary. @returns milliseconds */
  promotedAfter(lost: Host): Promise<number>
  /** Waits until there is a synchronous standby again. */
  untilSynchronous(): Promise<void>
}
