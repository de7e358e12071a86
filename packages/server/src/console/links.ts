// One-time console links, which a business gives to its staff.

import { appendAudit } from '../audit/log.ts'
import { changingKeys, requireNoMore } from '../businesses/api-keys.ts'
import { ancestorsOf, countsOf, revokeCreated } from '../businesses/descent.ts'
import type { ApiKeys } from '../businesses/ports.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import { actorOf, type Business, type Scope } from '../platform/http/caller.ts'
import { answeringTransaction } from '../platform/http/idempotency/service.ts'
import { shown } from '../platform/http/schema/paging.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import type { PageRequest } from '../platform/postgres/paging.ts'
import { formatToken, newestDigest, tokenBytes } from '../platform/secrets/opaque-tokens.ts'
import { makeId } from '../platform/values/ids.ts'
import { isoTime } from '../platform/values/time.ts'
import * as store from './store.ts'

export type NewLink = { scopes: readonly Scope[]; expiresInMinutes: number }

const linkView = ({ id, scopes, expiresAt }: store.LinkRow) => ({ id, scopes, expiresAt: isoTime(expiresAt) })

/**
 * Creates a link that signs one browser in, once. The code comes after the `#`: browsers do not send that part to a
 * server, so it is in no log and no `Referer`.
 * @param origin of this service; empty if unknown
 * @throws ApiError `insufficient_scope`, `api_key_required`
 */
export async function createConsoleLink(deps: Core, scope: RequestScope, input: NewLink, origin: string) {
  const { business, held } = scope
  // The audit log would name the staff member for what others do with the link.
  if (business.person !== null) throw fail('api_key_required')
  requireNoMore(business, input.scopes)
  const code = formatToken('consoleLink', deps.randomBytes(tokenBytes))
  return await answeringTransaction(deps, held, async (tx) => {
    const row = await store.insertLink(tx, {
      businessId: business.id,
      id: makeId('consoleLink', deps.randomBytes(16)),
      keyId: business.credentialId,
      digest: newestDigest(linkDigests(deps, code)),
      ancestors: await ancestorsOf(tx, business),
      ...input,
    })
    const view = linkView(row)
    const details = { scopes: row.scopes, expiresAt: view.expiresAt }
    const act = { businessId: business.id, action: 'console_link.created', subjectId: row.id, details } as const
    await appendAudit(deps, tx, actorOf(business), act)
    return { ...view, url: `${origin}/console/link#${code}` }
  })
}

/** Lists links until a day after their end, newest first, without their codes. */
export async function listConsoleLinks(deps: Core, business: Business, page: PageRequest) {
  const links = await deps.db.read((query) => store.listLinks(query, business.id, page))
  return shown(links, ({ keyId, createdAt, usedAt, revokedAt, ...link }) => ({
    ...linkView({ ...link, revokedAt }),
    apiKeyId: keyId,
    createdAt: isoTime(createdAt),
    usedAt: usedAt && isoTime(usedAt),
    revokedAt: revokedAt && isoTime(revokedAt),
  }))
}

/**
 * Revokes a link, and ends its session.
 * @param withCreated also revokes everything created in the session, directly or indirectly; then the link may be
 * revoked already
 * @throws ApiError `console_link_not_found`, `insufficient_scope`
 */
export async function revokeConsoleLink(deps: ApiKeys, scope: RequestScope, id: string, withCreated: boolean) {
  const { business, held } = scope
  return await changingKeys(deps, held, business.id, async (tx) => {
    const link = await store.lockLink(tx, business.id, id)
    if (!link || (link.revokedAt && !withCreated)) throw fail('console_link_not_found')
    requireNoMore(business, link.scopes)
    const row = await store.revokeLink(tx, business.id, id)
    const alsoRevoked = withCreated ? await revokeCreated(tx, business.id, id) : undefined
    const details = alsoRevoked && { alsoRevoked: countsOf(alsoRevoked) }
    const act = { businessId: business.id, action: 'console_link.revoked', subjectId: id } as const
    await appendAudit(deps, tx, actorOf(business), { ...act, ...(details && { details }) })
    return { ...linkView(row), revokedAt: isoTime(row.revokedAt), ...(alsoRevoked && { alsoRevoked }) }
  })
}

/** Digests of a link's code under each deployment secret, newest first. */
export function linkDigests({ secrets }: Pick<Core, 'secrets'>, code: string): readonly Buffer[] {
  return secrets.fingerprints('console link', code)
}
