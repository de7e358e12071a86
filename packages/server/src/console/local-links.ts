// One-time links into the console of a local environment, in the memory of its one process. They go to the terminal of `npm start`
// and to callers with the operator secret: an address proves nothing, because tunnels come from this machine.

import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { formatToken, tokenBytes } from '../platform/secrets/opaque-tokens.ts'

export type LocalRole = 'business' | 'operator'

export const localLinkMinutes = 10
/** The oldest goes first. */
const openMax = 50

type Link = { role: LocalRole; expiresAtMs: number }

export class LocalLinks {
  readonly #links = new Map<string, Link>()
  readonly #randomBytes: (size: number) => Buffer
  readonly #now: () => number

  constructor(randomBytes: (size: number) => Buffer, now: () => number = () => performance.now()) {
    this.#randomBytes = randomBytes
    this.#now = now
  }

  /** @returns a code that signs in once, within ten minutes */
  create(role: LocalRole): string {
    const code = formatToken('consoleLink', this.#randomBytes(tokenBytes))
    const [oldest] = this.#links.keys()
    if (oldest !== undefined && this.#links.size >= openMax) this.#links.delete(oldest)
    this.#links.set(digestOf(code), { role, expiresAtMs: this.#now() + localLinkMinutes * 60_000 })
    return code
  }

  /** Whether a code is one of these and not used up. */
  has(code: string): boolean {
    return this.#links.has(digestOf(code))
  }

  /** Uses a code up. @returns null where it is not valid */
  use(code: string): LocalRole | null {
    const link = this.#links.get(digestOf(code))
    this.#links.delete(digestOf(code))
    return link !== undefined && this.#now() < link.expiresAtMs ? link.role : null
  }
}

// Looked up by a digest, so that the time of a look says nothing of a code.
const digestOf = (code: string): string => createHash('sha256').update(code).digest('base64')
