// Links to the provider's Terms-of-Service page: made, handed out again, and completed after a lost answer.

import type { Deps } from '../app/context.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { idempotentTransaction, storeResponse } from '../platform/http/idempotency/service.ts'
import { transactionUnlessBusy } from '../platform/postgres/lock-order.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { parseRedirectUri } from '../platform/values/business-url.ts'
import { makeId } from '../platform/values/ids.ts'
import type { Operation } from '../provider/operations/operation.rules.ts'
import { beginOperation, completeOperation, performOperation, readProvider } from '../provider/operations/operations.ts'
import { providerRejection } from '../provider/operations/rejection.ts'
import type { TosStatus } from './schema.rules.ts'
import { endUserOf, lockedEndUser } from './service.ts'
import type { EndUserRow } from './store.ts'
import * as store from './tos-links.store.ts'
import { sealTosUrl, tosUrlOf } from './tos-urls.ts'

/** How long a ToS link is handed out again; the provider names no life of its own links. */
const tosLinkLifeHours = 24

export type TosLinkView = { tosLinkId: string; tosLink: string; tosStatus: TosStatus }

/**
 * A link on the provider's Terms-of-Service page. A pending, unexpired link is handed out again with the new
 * `redirectUri` rather than piling up.
 * @throws ApiError `holder_not_found`, `invalid_redirect_uri`, `provider_unavailable`, `provider_timeout`, `provider_rejected`
 */
export async function createTosLink(
  deps: Deps,
  business: Business,
  externalUserId: string,
  input: { redirectUri?: string },
): Promise<TosLinkView> {
  const redirectUri = input.redirectUri === undefined ? null : checkedRedirect(deps, input.redirectUri)
  const { user, reused } = await deps.db.transaction(async (tx) => {
    const user = await endUserOf(tx, business, externalUserId)
    const open = await store.findOpenTosLink(tx, business.id, user.id)
    const isUsable = open !== undefined && tosUrlOf(deps, open) !== null
    return { user, reused: isUsable && (await redirectLink(deps, tx, user, open, redirectUri)) }
  })
  return reused || (await requestTosLink(deps, user, redirectUri))
}

/** Hands an open link out again, with another way back. */
async function redirectLink(
  deps: Deps,
  tx: Tx,
  user: EndUserRow,
  open: store.TosLinkRow,
  redirectUri: string | null,
): Promise<TosLinkView> {
  const view = tosLinkView(deps, user.tosStatus, await store.redirectTosLink(tx, open.businessId, open.id, redirectUri))
  await storeResponse(deps, tx, view)
  return view
}

async function requestTosLink(deps: Deps, user: EndUserRow, redirectUri: string | null): Promise<TosLinkView> {
  const insert = {
    businessId: user.businessId,
    id: makeId('tosLink', deps.randomBytes(16)),
    endUserId: user.id,
    redirectUri,
    lifeHours: tosLinkLifeHours,
  }
  const customerId = user.providerCustomerId
  if (customerId) {
    const { url } = await readProvider(
      () => deps.provider.getTosAcceptanceLink(customerId),
      (error) => providerRejection(error, {}),
    )
    return await idempotentTransaction(deps, async (tx) => {
      const { tosStatus } = await lockedEndUser(tx, user)
      return await insertLink(deps, tx, insert, url, tosStatus)
    })
  }
  const begun = await transactionUnlessBusy(deps, linkInProgress, async (tx) => {
    await lockedEndUser(tx, user)
    const intent = { businessId: user.businessId, kind: 'tos_link.create', subjectId: user.id } as const
    const begun = await beginOperation(deps, tx, intent)
    if (typeof begun === 'string') throw linkInProgress()
    // Looked for once the operation is ours: whoever held it before has committed by then which link it made.
    const open = await store.findOpenTosLink(tx, user.businessId, user.id)
    const made = open && (await redirectLink(deps, tx, user, open, redirectUri))
    if (made) await completeOperation(tx, begun.operation)
    return { operation: begun.operation, made }
  })
  return begun.made ?? (await completeTosLink(deps, begun.operation, insert))
}

const linkInProgress = () => fail('tos_link_in_progress', { retryAfterSeconds: 1 })

type LinkWithoutUrl = Omit<Parameters<typeof store.insertTosLink>[1], 'providerUrl'>

async function insertLink(
  deps: Deps,
  tx: Tx,
  link: LinkWithoutUrl,
  url: string,
  tosStatus: TosStatus,
): Promise<TosLinkView> {
  const row = await store.insertTosLink(tx, { ...link, providerUrl: sealTosUrl(deps, link.id, url) })
  return tosLinkView(deps, tosStatus, row)
}

async function completeTosLink(deps: Deps, operation: Operation, insert: LinkWithoutUrl): Promise<TosLinkView> {
  return await performOperation(deps, operation, {
    call: (write) => deps.provider.createTosLink(write),
    lock: (tx) => lockedEndUser(tx, { businessId: insert.businessId, id: insert.endUserId }),
    settle: (tx, result) => insertLink(deps, tx, insert, result.url, 'pending'),
    rejection: (error) => providerRejection(error, {}),
  })
}

/** Completes a link whose outcome was unknown: the caller's next request for one is handed it. */
export async function resumeTosLink(deps: Deps, operation: Operation): Promise<void> {
  await completeTosLink(deps, operation, {
    businessId: operation.businessId,
    id: makeId('tosLink', deps.randomBytes(16)),
    endUserId: operation.subjectId,
    redirectUri: null,
    lifeHours: tosLinkLifeHours,
  })
}

/** @throws ApiError `invalid_redirect_uri` */
export function checkedRedirect(deps: Deps, redirectUri: string): string {
  const parsed = parseRedirectUri(redirectUri, { allowLoopbackHttp: deps.config.mode === 'sandbox' })
  if (parsed.ok) return parsed.url
  const details = parsed.problems.map(({ message }) => {
    return { param: 'redirectUri', code: 'invalid_redirect_uri', message: `redirectUri ${message}` }
  })
  throw fail('invalid_redirect_uri', { message: `redirectUri ${parsed.message}`, details })
}

/** A link for terms that the end-user has accepted already says so, as the end-user does. */
function tosLinkView(deps: Deps, tosStatus: TosStatus, link: store.TosLinkRow): TosLinkView {
  return {
    tosLinkId: link.id,
    tosLink: tosUrlOf(deps, link) ?? '',
    tosStatus: tosStatus === 'approved' ? 'approved' : link.status,
  }
}
