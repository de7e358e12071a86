// Terms of Service. In your product the link stands in an iframe or a window, and your end-user presses the button.

import type { Client } from './client.ts'

export async function acceptTerms(api: Client, externalUserId: string): Promise<string> {
  const { tosLink } = await api.post<{ tosLink: string }>(
    `/v0/end-users/${encodeURIComponent(externalUserId)}/tos-link`,
  )
  return pressAccept(tosLink)
}

/** What the button on the emulator's page does. The agreement's id is what the page would send to yours. */
async function pressAccept(tosLink: string): Promise<string> {
  const { origin, searchParams } = new URL(tosLink)
  const address = `${origin}/_sandbox/tos/${searchParams.get('session_token')}/accept`
  const answer = await fetch(address, { method: 'POST' })
  if (!answer.ok) throw new Error(`POST ${address}: ${answer.status}`)
  const { signed_agreement_id } = (await answer.json()) as { signed_agreement_id: string }
  return signed_agreement_id
}
