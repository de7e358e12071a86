// Idempotency keys: for 24 hours, a repeat gets the first response, and a different request with the same key is refused.
// Simultaneous requests with one key share one run.
import { createHmac } from 'node:crypto'
import { refuse } from '../../platform/errors.ts'
import type { Answer } from '../../platform/operations.ts'
import type { World } from '../state/world.ts'

export type Idempotency = {
  /**
   * Runs `work` unless the key was used before. An error of `work` is not stored.
   * @throws Refusal `duplicate_record` or `unprocessable_entity`
   */
  answerOnce(key: string, request: Fingerprinted, work: () => Promise<Answer>): Promise<Answer>
}

type Fingerprinted = { method: string; path: string; body: unknown }

const replayMs = 24 * 60 * 60 * 1000

/** Maximum of stored responses, for a sandbox that runs for weeks. The oldest is removed first. */
const answersMax = 20_000

export const createIdempotency = (world: World): Idempotency => {
  const running = new Map<string, { fingerprint: string; answer: Promise<Answer> }>()

  const run = async (key: string, fingerprint: string, work: () => Promise<Answer>): Promise<Answer> => {
    const answer = await work()
    const { answers } = world.state
    answers.put({ id: key, fingerprint, answer, storedAt: world.now() })
    const oldest = answers.size > answersMax ? answers.oldest() : undefined
    if (oldest) answers.remove(oldest.id)
    return answer
  }
  return {
    answerOnce: async (key, request, work) => {
      const fingerprint = fingerprintOf(world.settings.apiKey, request)
      const current = running.get(key)
      const stored = world.state.answers.get(key)
      const earlier = current ?? stored
      if (earlier && earlier.fingerprint !== fingerprint) {
        throw refuse(400, 'duplicate_record', 'The Idempotency-Key was used before with different parameters')
      }
      if (current) return current.answer
      if (stored && world.now() - stored.storedAt > replayMs) {
        throw refuse(422, 'unprocessable_entity', 'Idempotency Key Retry Deadline Exceeded')
      }
      if (stored) return stored.answer
      const answer = run(key, fingerprint, work)
      running.set(key, { fingerprint, answer })
      return answer.finally(() => running.delete(key))
    },
  }
}

// Keyed, because from a plain hash of a mostly known body its secret part could be guessed by trying.
const fingerprintOf = (secret: string, { method, path, body }: Fingerprinted): string =>
  createHmac('sha256', secret)
    .update(`${method} ${path}\n${JSON.stringify(sorted(body)) ?? ''}`)
    .digest('base64')

/** Sorts parameters by name, because their order does not make another request. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, entry]) => [name, sorted(entry)])
}
