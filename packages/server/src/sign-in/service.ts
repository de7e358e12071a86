// The issuer of a business's staff: set by the business or by the operator.

import { appendAudit } from '../audit/log.ts'
import { endStaffSessionsIn } from '../console/staff-sessions.ts'
import type { RoleMapping } from '../platform/config.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Actor } from '../platform/http/caller.ts'
import { answeringTransaction } from '../platform/http/idempotency/service.ts'
import type { HeldKey, Turn } from '../platform/http/scope.ts'
import { parseWebhookUrl } from '../platform/values/business-url.ts'
import { isoTime } from '../platform/values/time.ts'
import { discoverIssuer, IssuerFailed } from './protocol/discovery.ts'
import { addressesOf, settingsOf } from './settings.ts'
import * as store from './store.ts'

export type SignInInput = {
  issuer: string
  clientId: string
  /** Omitted: the stored secret, for the same issuer and client. Null: a public client. */
  clientSecret?: string | null
  roles: RoleMapping
  scope?: string
}

export type Change = {
  businessId: string
  by: Actor
  held: HeldKey | null
  /** The turn of the request, which waits for the issuer; null for the operator. */
  turn: Turn | null
  /** Of this service; empty if unknown. */
  origin: string
}

const scopeDefault = 'openid profile email'

/** @throws ApiError `sign_in_not_set` */
export async function getSignIn(deps: Core, businessId: string, origin: string) {
  const row = await deps.db.read((query) => store.findIssuer(query, businessId))
  if (!row) throw fail('sign_in_not_set')
  return view(row, origin)
}

/**
 * Sets the issuer, once it has returned its metadata. Another issuer or client ends every session of the staff.
 * @throws ApiError `invalid_issuer`, `sign_in_issuer_unreachable`, `sign_in_issuer_mismatch`, `sign_in_issuer_unusable`
 */
export async function setSignIn(deps: Core, change: Change, input: SignInInput) {
  const { businessId, by, held, origin } = change
  const issuer = await discovered(deps, change, input)
  return await answeringTransaction(deps, held, async (tx) => {
    const old = await store.lockIssuer(tx, businessId)
    const isSame = old?.issuer === issuer && old.clientId === input.clientId
    const row = await store.saveIssuer(tx, {
      businessId,
      issuer,
      clientId: input.clientId,
      clientSecretSealed: sealedSecret(deps, businessId, input.clientSecret, isSame ? old.clientSecretSealed : null),
      roles: input.roles,
      scope: input.scope ?? scopeDefault,
    })
    if (old && !isSame) await endStaffSessionsIn(deps, tx, { businessId, issuer: old.issuer }, by)
    const { clientId, roles, scope, clientSecretSealed } = row
    const details = { issuer, clientId, hasClientSecret: clientSecretSealed !== null, roles, scope }
    await appendAudit(deps, tx, by, { businessId, action: 'sign_in.changed', subjectId: businessId, details })
    return view(row, origin)
  })
}

/**
 * Removes the issuer, and ends every session of the staff.
 * @throws ApiError `sign_in_not_set`
 */
export async function deleteSignIn(deps: Core, { businessId, by, held }: Change): Promise<{ deleted: true }> {
  return await answeringTransaction(deps, held, async (tx) => {
    const old = await store.deleteIssuer(tx, businessId)
    if (!old) throw fail('sign_in_not_set')
    await endStaffSessionsIn(deps, tx, { businessId, issuer: old.issuer }, by)
    const details = { issuer: old.issuer, clientId: old.clientId }
    await appendAudit(deps, tx, by, { businessId, action: 'sign_in.removed', subjectId: businessId, details })
    return { deleted: true }
  })
}

function sealedSecret({ secrets }: Core, businessId: string, given: string | null | undefined, old: Buffer | null) {
  if (given === undefined) return old
  return given === null ? null : secrets.seal(given, businessId)
}

/** @returns the issuer as its metadata spells it */
async function discovered(deps: Core, { businessId, turn }: Change, input: SignInInput): Promise<string> {
  const url = parseWebhookUrl(input.issuer, { allowLoopbackHttp: deps.config.mode === 'sandbox' })
  const message = url.ok ? 'issuer must have no query.' : `issuer ${url.message}`
  if (!url.ok || input.issuer.includes('?'))
    throw fail('invalid_issuer', { message, details: [{ param: 'issuer', code: 'invalid_issuer', message }] })
  // Discovery needs no secret.
  const client = { businessId, issuer: input.issuer, clientId: input.clientId, clientSecretSealed: null }
  const row = { ...client, roles: input.roles, scope: input.scope ?? scopeDefault, updatedAt: new Date(0) }
  turn?.pause()
  try {
    return (await discoverIssuer(settingsOf(deps, row))).name
  } catch (error) {
    if (error instanceof IssuerFailed) throw fail(`sign_in_issuer_${error.reason}`, { message: error.message })
    throw error
  } finally {
    await turn?.resume()
  }
}

function view(
  { businessId, issuer, clientId, clientSecretSealed, roles, scope, updatedAt }: store.IssuerRow,
  origin: string,
) {
  const client = { issuer, clientId, hasClientSecret: clientSecretSealed !== null, roles, scope }
  return { ...client, ...addressesOf(origin, businessId), updatedAt: isoTime(updatedAt) }
}
