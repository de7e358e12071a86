// Console sessions: sign-in, authentication of requests, end. Sessions are read with each request, so the end of a
// session, a link or a key takes effect at once on every replica.

import { deploymentChain } from '../audit/audit.rules.ts'
import { type Act, appendAudit } from '../audit/log.ts'
import type { ApiKeys } from '../businesses/ports.ts'
import { fail } from '../platform/errors.ts'
import { type Actor, actorOf, type Business, operator, type Person, type Scope } from '../platform/http/caller.ts'
import { notifyKeysChanged } from '../platform/postgres/notify.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { formatToken, isToken, newestDigest, tokenBytes } from '../platform/secrets/opaque-tokens.ts'
import { makeId } from '../platform/values/ids.ts'
import { linkDigests } from './links.ts'
import type { StaffRole } from './roles.rules.ts'
import * as store from './store.ts'

/** Half an hour without a request, 12 hours in total. */
const limits = { idleMinutes: 30, minutesMax: 12 * 60 }

/** The staff member of a session. */
export type SessionStaff = Person & {
  id: string
  name: string | null
  roles: readonly StaffRole[]
  /** Signed in at the issuer recently enough for a sensitive operation. */
  isFresh: boolean
}

/** The operator's session if there is no business. */
export type Session = { id: string; business: Business | null; staff: SessionStaff | null; expiresAt: Date }

/** `previous`: the browser's earlier token, whose session ends. */
export type SignIn = { requestId: string; previous: string | null }

/**
 * Signs in with a valid key.
 * @returns the token of the session
 * @throws ApiError `business_suspended`
 */
export async function signInWithKey(deps: ApiKeys, business: Business, signIn: SignIn): Promise<string> {
  if (business.status === 'suspended') throw fail('business_suspended')
  return await deps.db.transaction((tx) => openForBusiness(deps, tx, business, null, signIn))
}

/**
 * Signs in with the code of a link and uses the link up: of two concurrent browsers, only one gets a session.
 * @returns the token of the session
 * @throws ApiError `console_link_invalid`, `business_suspended`
 */
export async function signInWithLink(deps: ApiKeys, code: string, signIn: SignIn): Promise<string> {
  if (!isToken('consoleLink', code)) throw fail('console_link_invalid')
  return await deps.db.transaction(async (tx) => {
    const link = await store.useLink(tx, linkDigests(deps, code))
    if (!link) throw fail('console_link_invalid')
    if (link.status === 'suspended') throw fail('business_suspended')
    const { businessId, linkId, keyId: credentialId, ...holder } = link
    const caller = { credentialId, person: null, sessionId: null, consoleLinkId: linkId, requestId: signIn.requestId }
    const business = { ...holder, id: businessId, ...caller }
    return await openForBusiness(deps, tx, business, linkId, signIn)
  })
}

/** Signs the operator in, with a valid secret. @returns the token of the session */
export async function signInAsOperator(deps: ApiKeys, signIn: SignIn): Promise<string> {
  const holder = { businessId: deploymentChain, keyId: null, linkId: null, scopes: [] }
  const by = { ...operator, requestId: signIn.requestId }
  return await deps.db.transaction((tx) => open(deps, tx, { ...holder, kind: 'ofOperator', by }, signIn))
}

function openForBusiness(deps: ApiKeys, tx: Tx, business: Business, linkId: string | null, signIn: SignIn) {
  const { id: businessId, credentialId: keyId, scopes } = business
  const holder = { businessId, keyId, linkId, scopes: [...scopes] }
  return open(deps, tx, { ...holder, kind: 'ofBusiness', by: actorOf(business) }, signIn)
}

type Opened = Pick<store.NewSession, 'businessId' | 'keyId' | 'linkId'> & {
  scopes: Scope[]
  kind: keyof store.TokenDigests
  by: Actor
}

async function open(deps: ApiKeys, tx: Tx, { by, ...holder }: Opened, signIn: SignIn): Promise<string> {
  const ended = await endSession(deps, tx, signIn)
  const { id, token } = await createSession(deps, tx, holder)
  const { businessId, linkId, scopes } = holder
  const act = { businessId, action: 'console_session.opened', subjectId: id, details: { scopes, linkId } } as const
  await auditSessions(deps, tx, [...ended, { by, act }])
  return token
}

/** Each sign-in creates a new token: a token planted in the browser before is useless afterwards. */
export async function createSession(deps: ApiKeys, tx: Tx, { kind, ...holder }: Omit<Opened, 'by'>) {
  const token = formatToken('consoleSession', deps.randomBytes(tokenBytes))
  const id = makeId('consoleSession', deps.randomBytes(16))
  await store.insertSession(tx, { ...holder, id, digest: newestDigest(digestsOf(deps, token)[kind]) }, limits)
  return { id, token }
}

/**
 * Finds the session of a token.
 * @throws ApiError `console_session_invalid`: the session, its key, its link or the operator secret has ended
 */
export async function readSession(deps: ApiKeys, token: string, requestId: string): Promise<Session> {
  if (!isToken('consoleSession', token)) throw fail('console_session_invalid')
  const { idleMinutes } = limits
  const freshMinutes = deps.config.oidcFreshSignInMinutes
  const row = await deps.db.read((query) =>
    store.findSession(query, digestsOf(deps, token), { idleMinutes, freshMinutes }),
  )
  if (!row) throw fail('console_session_invalid')
  if (row.isStale)
    await deps.db
      .transaction((tx) => store.touchSession(tx, row, idleMinutes))
      .catch((err: unknown) => deps.log.warn({ err, session: row.id }, 'session use not recorded'))
  const { id, businessId, keyId, linkId: consoleLinkId, name, status, scopes, expiresAt } = row
  const staff = staffOf(row)
  const credentialId = keyId ?? staff?.id
  if (credentialId === undefined || name === null || status === null) return { id, business: null, staff, expiresAt }
  if (keyId !== null) deps.lastUsedBuffer.add({ id: keyId, businessId })
  const caller = { credentialId, person: staff && personOf(staff), sessionId: id, consoleLinkId, requestId }
  return { id, business: { id: businessId, name, status, scopes, ...caller }, staff, expiresAt }
}

function staffOf({ staffId, subject, staffName, email, roles, isFresh }: store.SessionRow): SessionStaff | null {
  if (staffId === null || subject === null) return null
  return { id: staffId, subject, email, name: staffName, roles: roles ?? [], isFresh: isFresh ?? false }
}

/** The staff member, for the audit log. */
export const personOf = ({ subject, email }: Person): Person => ({ subject, email })

/** Signs out, if there is a session to end. */
export async function signOut(deps: ApiKeys, signIn: SignIn): Promise<void> {
  await deps.db.transaction(async (tx) => auditSessions(deps, tx, await endSession(deps, tx, signIn)))
}

export type Entry = { by: Actor; act: Act }

/** Ends the browser's session and its waiting polls. @returns its entry in the audit log */
export async function endSession(deps: ApiKeys, tx: Tx, { requestId, previous }: SignIn): Promise<Entry[]> {
  if (previous === null || !isToken('consoleSession', previous)) return []
  const ended = await store.deleteSession(tx, digestsOf(deps, previous))
  if (!ended) return []
  const { businessId, id, keyId, staffId, subject, email } = ended
  if (businessId !== deploymentChain) await notifyKeysChanged(tx, businessId)
  const holder = businessId === deploymentChain ? operator.name : (keyId ?? staffId)
  const by = { name: `${holder}/${id}`, requestId, person: subject === null ? null : { subject, email } }
  return [{ by, act: { businessId, action: 'console_session.ended', subjectId: id } }]
}

/** Two browsers that switch between the same two businesses lock both chains: as the last locks, and in one order. */
export async function auditSessions(deps: ApiKeys, tx: Tx, entries: readonly Entry[]): Promise<void> {
  const inOrder = entries.toSorted(
    (a, b) => Number(a.act.businessId > b.act.businessId) - Number(a.act.businessId < b.act.businessId),
  )
  for (const { by, act } of inOrder) await appendAudit(deps, tx, by, act)
}

/** The digest of an operator's session includes the operator secret, so that the session ends with the secret. */
function digestsOf({ secrets, config }: ApiKeys, token: string): store.TokenDigests {
  return {
    ofBusiness: secrets.fingerprints('console session', token),
    ofOperator: secrets.fingerprints('console session of the operator', `${config.adminSecret}\0${token}`),
  }
}
