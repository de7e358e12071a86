// The SDK: one key over all attempts, webhooks that are not believed, places that are saved, ids that stay in their place.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

const request = 'packages/sdk/src/core/request.ts'
const verify = 'packages/sdk/src/webhooks/verify.ts'

export const sdkBugs: readonly PlantedBug[] = [
  {
    name: 'sdk-key-drawn-for-each-attempt',
    promise: 'all attempts of a write carry one idempotency key, or a repeat does it twice',
    file: request,
    find: 'return await this.#attempt(attempt)',
    replace: 'return await this.#attempt({ ...attempt, ...this.#build(request, request.keyed ? drawId() : null) })',
    caughtBy: [{ file: 'packages/sdk/test/faults/retries.test.ts', test: 'with the same body and the same key' }],
  },
  {
    name: 'sdk-abort-called-a-timeout',
    promise: 'an abort of the caller is neither repeated nor called something else',
    file: request,
    find: 'if (signal?.aborted) throw new AbortedError(signal.reason)',
    replace: 'if (signal?.aborted) throw new TimeoutError(timeoutMs)',
    caughtBy: [
      { file: 'packages/sdk/test/faults/retries.test.ts', test: 'is not repeated, and is not called a timeout' },
    ],
  },
  {
    name: 'sdk-id-that-leaves-its-path',
    promise: 'an id cannot name another path',
    file: request,
    find: "['', '.', '..'].includes(value)",
    replace: "value === ''",
    caughtBy: [{ file: 'packages/sdk/test/faults/requests.test.ts', test: 'an id cannot leave its place in the path' }],
  },
  {
    name: 'sdk-place-saved-before-the-work',
    promise: 'the place of a stream is saved behind its events, or a crash loses them',
    file: 'packages/sdk/src/core/stream.ts',
    find: 'yield* answer.data as readonly Item[]',
    replace:
      'if (answer.nextCursor !== null) await save?.(answer.nextCursor)\n    yield* answer.data as readonly Item[]',
    caughtBy: [{ file: 'packages/sdk/test/faults/stream.test.ts', test: 'in the middle of an answer has not saved' }],
  },
  {
    name: 'sdk-old-webhook-believed',
    promise: 'a webhook that is replayed later is not believed',
    file: 'packages/sdk/src/webhooks/envelope.ts',
    find: 'if (ageSeconds > toleranceSeconds)',
    replace: 'if (ageSeconds > 1e9)',
    caughtBy: [{ file: 'packages/sdk/test/webhooks/verify.test.ts', test: 'up to 300 seconds before and after' }],
  },
  {
    name: 'sdk-webhook-of-another-endpoint-believed',
    promise: 'the key that signs for every receiver does not let one pass its webhooks on to another',
    file: verify,
    find: 'if (!envelope.id.endsWith(`_${endpointId}`))',
    replace: "if (endpointId === '')",
    caughtBy: [{ file: 'packages/sdk/test/webhooks/deliveries.test.ts', test: 'for its own endpoint alone' }],
  },
  {
    name: 'sdk-terms-of-any-window-believed',
    promise: 'an agreement is taken from the window of the terms and from no other',
    file: 'packages/sdk/src/terms/open-terms.ts',
    find: 'if (from !== origin || source !== shown.source()) return',
    replace: 'if (from !== origin) return',
    caughtBy: [
      { file: 'packages/sdk/test/terms.test.ts', test: 'a message of another window or origin is not believed' },
    ],
  },
]
