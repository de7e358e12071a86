// Terms of Service. In your product openTerms of `@causeway/sdk/terms` shows the link, and your end-user presses the button.

import type { Causeway } from '@causeway/sdk'

export async function acceptTerms(api: Causeway, externalUserId: string): Promise<string> {
  const { tosLink } = await api.endUsers.createTosLink(externalUserId)
  return pressAccept(tosLink)
}

/** Does what the button on the sandbox page does. @returns the agreement ID that the page would send to your page */
async function pressAccept(tosLink: string): Promise<string> {
  const address = `${new URL(tosLink).origin}/_sandbox/terms/accept`
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ link: tosLink }) })
  if (!answer.ok) throw new Error(`POST ${address}: ${answer.status}`)
  const { signed_agreement_id } = (await answer.json()) as { signed_agreement_id: string }
  return signed_agreement_id
}
