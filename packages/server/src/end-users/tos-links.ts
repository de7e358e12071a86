// Links to the provider's Terms-of-Service page: creates, reuses and, after a lost response, completes them.

import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import { answeringTransaction, storeResponse } from '../platform/http/idempotency/service.ts'
import type { HeldKey, RequestScope } from '../platform/http/scope.ts'
import { transactionUnlessBusy } from '../platform/postgres/lock-order.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { parseRedirectUri } from '../platform/values/business-url.ts'
import { makeId } from '../platform/values/ids.ts'
import {
  beginOperation,
  completeOperation,
  type Operation,
  performOperation,
  readProvider,
} from '../provider/operations/operations.ts'
import { providerRejection } from '../provider/operations/rejection.ts'
import type { Terms as TermsAtProvider } from '../provider/port.ts'
import type { Terms } from './ports.ts'
import type { TosStatus } from './schema.rules.ts'
import { endUserOf, lockedEndUser } from './service.ts'
import * as store from './store.ts'

type TosLinkView = { tosLinkId: string; tosLink: string; tosStatus: TosStatus }

/**
 * Creates a link to the provider's Terms-of-Service page. An unexpired pending link is reused with the new
 * `redirectUri`.
 * @throws ApiError `not_offered`, `holder_not_found`, `invalid_redirect_uri`, `provider_unavailable`,
 * `provider_timeout`, `provider_rejected`
 */
export async function createTosLink(
  deps: Terms,
  { business, held }: RequestScope,
  externalUserId: string,
  input: { redirectUri?: string },
): Promise<TosLinkView> {
  requireTerms(deps)
  const redirectUri = input.redirectUri === undefined ? null : checkedRedirect(deps, input.redirectUri)
  const { user, reused } = await deps.db.transaction(async (tx) => {
    const user = await endUserOf(tx, business, externalUserId)
    return { user, reused: await reuseLink(deps, held, tx, user, redirectUri) }
  })
  return reused ?? (await requestTosLink(deps, held, user, redirectUri))
}

/** @throws ApiError `not_offered` for a provider without terms */
function requireTerms({ provider }: Terms): TermsAtProvider {
  if (provider.terms === null) throw fail('not_offered')
  return provider.terms
}

/** Returns the open link of an end-user with the new `redirectUri`, if its URL can be decrypted. */
async function reuseLink(
  deps: Terms,
  held: HeldKey | null,
  tx: Tx,
  user: store.EndUserRow,
  redirectUri: string | null,
) {
  const open = await store.findOpenTosLink(tx, user)
  if (!open || store.tosUrlOf(deps, open) === null) return null
  if (open.redirectUri !== redirectUri && requireTerms(deps).withReturn === null) return null
  const link = { ...open, redirectUri }
  await store.saveRedirectUri(tx, link)
  const view = tosLinkView(deps, user.tosStatus, link)
  storeResponse(deps, held, tx, view)
  return view
}

async function requestTosLink(
  deps: Terms,
  held: HeldKey | null,
  user: store.EndUserRow,
  redirectUri: string | null,
): Promise<TosLinkView> {
  const customerId = user.providerCustomerId
  const { linkOfCustomer } = requireTerms(deps)
  if (customerId && linkOfCustomer) {
    const { url } = await readProvider(
      () => linkOfCustomer(customerId),
      (error) => providerRejection(error, {}),
    )
    return await answeringTransaction(deps, held, async (tx) => {
      const { tosStatus } = await lockedEndUser(tx, user)
      return await insertLink(deps, tx, user, { redirectUri, url, tosStatus })
    })
  }
  const { operation, reused } = await transactionUnlessBusy(deps, linkInProgress, async (tx) => {
    const locked = await lockedEndUser(tx, user)
    const intent = { businessId: user.businessId, kind: 'tos_link.create', subjectId: user.id } as const
    const begun = await beginOperation(deps, tx, intent)
    if (typeof begun === 'string') throw linkInProgress()
    // Read once this request holds the operation: the previous holder has committed its link by then.
    const reused = await reuseLink(deps, held, tx, locked, redirectUri)
    if (reused) await completeOperation(tx, begun.operation)
    return { operation: begun.operation, reused }
  })
  return reused ?? (await completeTosLink(deps, held, operation, redirectUri))
}

const linkInProgress = () => fail('tos_link_in_progress', { retryAfterSeconds: 1 })

async function insertLink(
  deps: Terms,
  tx: Tx,
  { businessId, id: endUserId }: store.EndUserKey,
  { url, redirectUri, tosStatus }: { url: string; redirectUri: string | null; tosStatus: TosStatus },
): Promise<TosLinkView> {
  const link = { businessId, id: makeId('tosLink', deps.randomBytes(16)), endUserId, redirectUri }
  return tosLinkView(deps, tosStatus, await store.insertTosLink(deps, tx, link, url))
}

/** Completes a link, also for the resume loop: the caller's next request for a link gets this one. */
export async function completeTosLink(
  deps: Terms,
  held: HeldKey | null,
  operation: Operation,
  redirectUri: string | null = null,
): Promise<TosLinkView> {
  const user = { businessId: operation.businessId, id: operation.subjectId }
  const terms = requireTerms(deps)
  return await performOperation(deps, held, operation, {
    call: (write) => terms.createLink(write),
    lock: (tx) => lockedEndUser(tx, user),
    settle: (tx, { url }, { tosStatus }) => insertLink(deps, tx, user, { url, redirectUri, tosStatus }),
    rejection: (error) => providerRejection(error, {}),
    // The provider does not list such links: the next request creates another one.
    endsUnread: () => true,
  })
}

/**
 * Checks the URL to which a page of the provider redirects the browser.
 * @throws ApiError `invalid_redirect_uri`
 */
export function checkedRedirect(deps: Pick<Core, 'config'>, redirectUri: string): string {
  const parsed = parseRedirectUri(redirectUri, { allowLoopbackHttp: deps.config.mode === 'sandbox' })
  if (parsed.ok) return parsed.url
  const details = parsed.problems.map(({ message }) => {
    return { param: 'redirectUri', code: 'invalid_redirect_uri', message: `redirectUri ${message}` }
  })
  throw fail('invalid_redirect_uri', { message: `redirectUri ${parsed.message}`, details })
}

/** A link for accepted terms has the status of the end-user. */
function tosLinkView(deps: Terms, tosStatus: TosStatus, link: store.TosLinkRow): TosLinkView {
  return {
    tosLinkId: link.id,
    tosLink: store.tosUrlOf(deps, link) ?? '',
    tosStatus: tosStatus === 'approved' ? 'approved' : link.status,
  }
}
