// The provider's links to its terms, sealed in the database: the link for a customer whom it knows holds that person's e-mail
// address.

import type { Deps } from '../app/context.ts'
import type { TosLinkRow } from './tos-links.store.ts'

export function sealTosUrl({ secrets }: Pick<Deps, 'secrets'>, linkId: string, url: string): string {
  return secrets.seal(url, linkId).toString('base64')
}

/**
 * Opens a link: the provider's page, with the caller's `redirect_uri` appended as the provider wants it.
 * @returns null when no deployment secret opens it any more: then a new link is asked for
 */
export function tosUrlOf({ secrets }: Pick<Deps, 'secrets'>, link: TosLinkRow): string | null {
  try {
    const url = new URL(secrets.open(Buffer.from(link.providerUrl, 'base64'), link.id))
    if (link.redirectUri !== null) url.searchParams.set('redirect_uri', link.redirectUri)
    return url.href
  } catch {
    return null
  }
}
