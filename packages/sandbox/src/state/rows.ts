// The stored rows that belong to no subject: the emulator's identity, its clock, its tasks, and answers kept by key.
import type { Answer } from '../platform/operations.ts'

/** The identity of this emulated provider: it outlives restarts and resets. */
export type Identity = { id: 'identity'; developerId: string; linkSecret: string }

/** How far the emulator's time is ahead of the machine's. It is stored, so it outlives a restart. */
export type ClockOffset = { id: 'clock'; offsetMs: number }

export type TaskKind = 'kyc_decision' | 'endorsement_revocation' | 'deposit_step' | 'webhook_attempt'

export type Task = { id: string; kind: TaskKind; subject: string; dueAt: number }

/** The answer to a request, stored under its idempotency key. */
export type StoredAnswer = { id: string; fingerprint: string; answer: Answer; storedAt: number }
