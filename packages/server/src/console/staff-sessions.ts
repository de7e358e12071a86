// Sessions of staff who have signed in with OpenID Connect: sign-in, the check of their roles, and the end of all of them. The
// issuer is asked by `sign-in/`, which knows the protocol.

import { deploymentChain } from '../audit/audit.rules.ts'
import { appendAudit } from '../audit/log.ts'
import type { ApiKeys } from '../businesses/ports.ts'
import { getAnyBusiness } from '../businesses/service.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import { type Actor, operator, type Scope } from '../platform/http/caller.ts'
import { shown } from '../platform/http/schema/paging.ts'
import { notifyKeysChanged } from '../platform/postgres/notify.ts'
import type { PageRequest } from '../platform/postgres/paging.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { makeId } from '../platform/values/ids.ts'
import { isoTime } from '../platform/values/time.ts'
import { type StaffRole, scopesOf } from './roles.rules.ts'
import { auditSessions, createSession, endSession, type SignIn } from './sessions.ts'
import * as store from './staff.store.ts'
import { addStaffPart } from './store.ts'

export type StaffGrant = {
  /** A business, or `deploymentChain` for the operator. */
  businessId: string
  identity: store.Identity
  roles: readonly StaffRole[]
  /** When the person signed in at the issuer, if it says so. */
  authTime: Date | null
  /** The `sid` of the issuer. */
  sid: string | null
  refreshToken: string | null
}

/**
 * Signs in a staff member after the issuer has authenticated them.
 * @returns the token of the session
 * @throws ApiError `customer_not_found`, `business_suspended`
 */
export async function signInStaff(deps: ApiKeys, grant: StaffGrant, signIn: SignIn): Promise<string> {
  const { businessId, identity, roles } = grant
  const isOperator = businessId === deploymentChain
  if (!isOperator && (await getAnyBusiness(deps, businessId)).status === 'suspended') throw fail('business_suspended')
  const scopes = isOperator ? [] : scopesOf(roles)
  const holder = {
    businessId,
    keyId: null,
    linkId: null,
    scopes,
    kind: isOperator ? 'ofOperator' : 'ofBusiness',
  } as const
  const { oidcRecheckMinutes } = deps.config
  return await deps.db.transaction(async (tx) => {
    // Sessions are locked before staff.
    const ended = await endSession(deps, tx, signIn)
    const staffId = await store.saveStaff(tx, businessId, makeId('staff', deps.randomBytes(16)), identity)
    const session = await createSession(deps, tx, holder)
    const part = { staffId, roles, issuerSession: grant.sid, signedInAt: grant.authTime }
    const refreshToken = grant.refreshToken === null ? null : deps.secrets.seal(grant.refreshToken, session.id)
    await addStaffPart(tx, { businessId, id: session.id }, { ...part, refreshToken }, oidcRecheckMinutes)
    const { subject, email } = identity
    const name = `${isOperator ? operator.name : staffId}/${session.id}`
    const details = { scopes, roles: [...roles], staffId }
    const act = { businessId, action: 'console_session.opened', subjectId: session.id, details } as const
    const by = { name, requestId: signIn.requestId, person: { subject, email } }
    await auditSessions(deps, tx, [...ended, { by, act }])
    return session.token
  })
}

/** Longer than all calls to an issuer together: a refresh token may work once. */
const checkLeaseMs = 60_000

export type ClaimedSession = Omit<store.ClaimedRow, 'refreshToken'> & { refreshToken: string }

/** Takes the next session with roles to check; null if none is due. */
export async function claimStaffSession(deps: Core): Promise<ClaimedSession | null> {
  const row = await deps.db.transaction((tx) => store.claimSession(tx, checkLeaseMs))
  return row ? { ...row, refreshToken: deps.secrets.open(row.refreshToken, row.sessionId) } : null
}

export const nextStaffCheckMs = async (deps: Core) => await deps.db.read(store.nextCheckMs)

export type Confirmed = Pick<StaffGrant, 'roles' | 'refreshToken'> & Pick<store.Identity, 'name' | 'email'>

/** Extends a session after its issuer has confirmed it, with the roles of now. */
export async function keepStaffSession(deps: Core, session: ClaimedSession, confirmed: Confirmed): Promise<void> {
  const { businessId, sessionId } = session
  const { roles, refreshToken } = confirmed
  const scopes: Scope[] = businessId === deploymentChain ? [] : scopesOf(roles)
  const sealed = refreshToken === null ? null : deps.secrets.seal(refreshToken, sessionId)
  await deps.db.transaction(async (tx) => {
    const kept = { ...confirmed, scopes, refreshToken: sealed }
    const isChanged = await store.keepSession(tx, session, kept, deps.config.oidcRecheckMinutes)
    if (isChanged) await notifyKeysChanged(tx, businessId)
  })
}

/**
 * Ends sessions of an issuer's staff: one by its `sid` or `sessionId`, all of a `subject`, or all.
 * @returns how many
 */
export async function endStaffSessions(deps: Core, ending: store.Ending, by: Actor): Promise<number> {
  return await deps.db.transaction((tx) => endStaffSessionsIn(deps, tx, ending, by))
}

/** As `endStaffSessions`, within a transaction. */
export async function endStaffSessionsIn(
  deps: Pick<Core, 'secrets' | 'randomBytes'>,
  tx: Tx,
  ending: store.Ending,
  by: Actor,
): Promise<number> {
  const { businessId } = ending
  const ended = await store.deleteSessionsOf(tx, ending)
  if (ended.length === 0) return 0
  await notifyKeysChanged(tx, businessId)
  for (const staffId of new Set(ended.map((session) => session.staffId))) {
    const sessions = ended.filter((session) => session.staffId === staffId).length
    await appendAudit(deps, tx, by, {
      businessId,
      action: 'staff.signed_out',
      subjectId: staffId,
      details: { sessions },
    })
  }
  return ended.length
}

/** Lists the staff who have signed in, newest first. */
export async function listStaff(deps: Pick<Core, 'db'>, businessId: string, page: PageRequest) {
  const rows = await deps.db.read((query) => store.listStaff(query, businessId, page))
  return shown(rows, ({ createdAt, lastSeenAt, ...row }) => ({
    ...row,
    createdAt: isoTime(createdAt),
    lastSeenAt: isoTime(lastSeenAt),
  }))
}

/** Signs a staff member out everywhere. @throws ApiError `staff_not_found` */
export async function signOutEverywhere(
  deps: Pick<Core, 'db' | 'secrets' | 'randomBytes'>,
  { businessId, id }: { businessId: string; id: string },
  by: Actor,
) {
  const ended = await deps.db.transaction(async (tx) => {
    const staff = await store.findStaff(tx, businessId, id)
    if (!staff) throw fail('staff_not_found')
    const { issuer, subject } = staff
    return await endStaffSessionsIn(deps, tx, { businessId, issuer, subject }, by)
  })
  return { id, sessionsEnded: ended }
}
