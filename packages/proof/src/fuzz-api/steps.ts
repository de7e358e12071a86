// How a story asks: by a request that was made, or by one step that is said in a few words.

import type { Answer } from '../../../server/test/caller.ts'
import { operationNamed } from './requests/described.ts'
import type { Business } from './requests/known-objects.ts'
import { pathNaming } from './requests/parts.ts'
import type { Made } from './requests/requests.ts'

export type Ask = {
  /** @param learner who gets to know what a success tells. @returns null when no answer came */
  (made: Made, learner?: Business): Promise<Answer | null>
  report(made: Made, what: string): void
}

export type Step = { names?: string; query?: string; body?: unknown; credential: string }

export function stepOf(id: string, { names, query = '', body, credential }: Step): Made {
  const operation = operationNamed(id)
  const path = (names === undefined ? operation.path : pathNaming(operation, names)) + query
  const headers: [string, string][] = [['authorization', `Bearer ${credential}`]]
  if (body !== undefined) headers.push(['content-type', 'application/json'])
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body))
  return {
    operation,
    kind: 'valid',
    sent: { method: operation.method, path, headers, body: bytes, chunked: false },
    expects: [200],
  }
}
