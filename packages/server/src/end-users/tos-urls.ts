// The provider's links to its terms, as they lie here: sealed, because the one for a customer whom it knows already has
// that person's mail address in it.

import type { Deps } from '../app/context.ts'
import type { TosLinkRow } from './tos-links.store.ts'

const sealedStart = 'sealed:'

export function sealTosUrl({ secrets }: Pick<Deps, 'secrets'>, linkId: string, url: string): string {
  return sealedStart + secrets.seal(url, linkId).toString('base64')
}

/**
 * Where the end-user accepts: the provider's link, with the caller's `redirect_uri` appended as the provider wants it.
 * @returns null when no deployment secret opens it any more, or an upgrade has emptied it: then a new link is asked for
 */
export function tosUrlOf(deps: Pick<Deps, 'secrets'>, link: TosLinkRow): string | null {
  const stored = openTosUrl(deps, link)
  if (stored === null) return null
  const url = new URL(stored)
  if (link.redirectUri !== null) url.searchParams.set('redirect_uri', link.redirectUri)
  return url.href
}

function openTosUrl({ secrets }: Pick<Deps, 'secrets'>, { id, providerUrl }: TosLinkRow): string | null {
  if (!providerUrl.startsWith(sealedStart)) return providerUrl || null
  try {
    return secrets.open(Buffer.from(providerUrl.slice(sealedStart.length), 'base64'), id)
  } catch {
    return null
  }
}
