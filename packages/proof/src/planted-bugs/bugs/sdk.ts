// The SDK: one key over all attempts, webhooks that are not believed, places that are saved, ids that stay in their place.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

export const sdkBugs: readonly PlantedBug[] = [
  {
    name: 'sdk-key-drawn-for-each-attempt',
    promise: 'all attempts of a write carry one idempotency key, or a repeat does it twice',
    row: 2,
    in: 'sdk',
    find: 'return await this.#attempt(attempt)',
    replace: 'return await this.#attempt({ ...attempt, ...this.#build(request, request.keyed ? drawId() : null) })',
    caughtBy: ['with the same body and the same key'],
  },
  {
    name: 'sdk-abort-called-a-timeout',
    promise: 'an abort of the caller is neither repeated nor called something else',
    row: null,
    in: 'sdk',
    find: 'if (signal?.aborted) throw new AbortedError(signal.reason)',
    replace: 'if (signal?.aborted) throw new TimeoutError(timeoutMs)',
    caughtBy: ['is not repeated, and is not called a timeout'],
  },
  {
    name: 'sdk-id-that-leaves-its-path',
    promise: 'an id cannot name another path',
    row: null,
    in: 'sdk',
    find: "['', '.', '..'].includes(value)",
    replace: "value === ''",
    caughtBy: ['an id cannot leave its place in the path'],
  },
  {
    name: 'sdk-place-saved-before-the-work',
    promise: 'the place of a stream is saved behind its events, or a crash loses them',
    row: 4,
    in: 'sdk',
    find: 'yield* answer.data as readonly Item[]',
    replace: `if (answer.nextCursor !== null) await save?.(answer.nextCursor)
    yield* answer.data as readonly Item[]`,
    caughtBy: ['in the middle of an answer has not saved'],
  },
  {
    name: 'sdk-old-webhook-believed',
    promise: 'a webhook that is replayed later is not believed',
    row: 5,
    in: 'sdk',
    find: 'if (ageSeconds > toleranceSeconds)',
    replace: 'if (ageSeconds > 1e9)',
    caughtBy: ['up to 300 seconds before and after'],
  },
  {
    name: 'sdk-webhook-of-another-endpoint-believed',
    promise: 'the key that signs for every receiver does not let one pass its webhooks on to another',
    row: 5,
    in: 'sdk',
    find: 'if (!envelope.id.endsWith(`_${endpointId}`))',
    replace: "if (endpointId === '')",
    caughtBy: ['a delivery is believed by its secret and by the published keys, for its own endpoint alone'],
  },
  {
    name: 'sdk-terms-of-any-window-believed',
    promise: 'an agreement is taken from the window of the terms and from no other',
    row: null,
    in: 'sdk',
    find: 'if (from !== origin || source !== shown.source()) return',
    replace: 'if (from !== origin) return',
    caughtBy: ['a message of another window or origin is not believed'],
  },
]
