// Reads the roles of signed-in staff from their issuers again, so that a change at the issuer takes effect here.

import { LRUCache } from 'lru-cache'
import {
  type ClaimedSession,
  claimStaffSession,
  endStaffSessions,
  keepStaffSession,
} from '../console/staff-sessions.ts'
import { causeway } from '../platform/http/caller.ts'
import type { SignsIn } from './ports.ts'
import { GrantEnded, refreshPerson } from './protocol/code-flow.ts'
import { isAway, reasonOf } from './protocol/failures.ts'
import { findSettings } from './settings.ts'

/** At once: an issuer that is silent for its five seconds holds up seven others. */
const atOnceMax = 8
/** An issuer that is away costs one wait in this time, however many of its staff are signed in. */
const awayMs = 20_000

export class Rechecks {
  readonly #deps: SignsIn
  readonly #away = new LRUCache<string, true>({ max: 1_000, ttl: awayMs })

  constructor(deps: SignsIn) {
    this.#deps = deps
  }

  /** Checks the sessions that are due. @returns whether there may be more */
  async run(): Promise<boolean> {
    const claimed: ClaimedSession[] = []
    while (claimed.length < atOnceMax) {
      const session = await claimStaffSession(this.#deps)
      if (session === null) break
      claimed.push(session)
    }
    await Promise.all(claimed.map((session) => this.#check(session)))
    return claimed.length === atOnceMax
  }

  /** A failure that may pass leaves the session claimed: it is due again after its lease, until its time is over. */
  async #check(session: ClaimedSession): Promise<void> {
    const { businessId, issuer, subject, sessionId } = session
    if (this.#away.has(businessId)) return
    try {
      const person = await this.#read(session)
      if (person && person.roles.length > 0) return await keepStaffSession(this.#deps, session, person)
      await endStaffSessions(this.#deps, { businessId, issuer, subject }, causeway)
    } catch (error) {
      if (error instanceof GrantEnded)
        return void (await endStaffSessions(this.#deps, { businessId, issuer, sessionId }, causeway))
      if (isAway(error)) this.#away.set(businessId, true)
      this.#deps.log.warn({ businessId, session: sessionId, reason: reasonOf(error) }, 'roles of staff not read')
    }
  }

  /** @returns null if the business has no issuer any longer, or another one */
  async #read({ businessId, issuer: name, subject, refreshToken }: ClaimedSession) {
    const settings = await findSettings(this.#deps, businessId)
    const issuer = settings && (await this.#deps.issuers.of(settings))
    return issuer?.name === name ? await refreshPerson(issuer, refreshToken, subject) : null
  }
}
