// Stored rows without a subject: the identity of the emulator, and responses by idempotency key. Also the kinds of tasks.
import type { Answer } from '../../platform/operations.ts'

/** The identity of this emulated provider: it outlives restarts and resets. */
export type Identity = { id: 'identity'; developerId: string; linkSecret: string }

export type TaskKind = 'kyc_decision' | 'endorsement_revocation' | 'deposit_step' | 'webhook_attempt'

/** The response to a request, stored under its idempotency key. */
export type StoredAnswer = { id: string; fingerprint: string; answer: Answer; storedAt: number }
