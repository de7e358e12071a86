// The way back from the provider's terms by their redirect, for a window whose message does not arrive: the page is opened once more
// with the id of the agreement in its query, and hands it to the page that asked.

const message = 'causeway.onboarding.agreed'
const channelName = `${message} ${location.pathname}`

/** Reads the id with which the terms lead back. @returns null where this page is no way back */
export const returnedAgreement = (): string | null => new URLSearchParams(location.search).get('signed_agreement_id')

/** Hands the id to the page that opened this window or holds this frame, and closes the window. */
export function handBack(id: string): void {
  const told = { type: message, signedAgreementId: id }
  const asker = (window.opener ?? (window.parent === window ? null : window.parent)) as Window | null
  // Only a page of this origin gets it.
  asker?.postMessage(told, location.origin)
  // A page between that cuts the tie to the opener leaves this one.
  new BroadcastChannel(channelName).postMessage(told)
  if (window.parent === window) window.close()
}

/** Listens for what `handBack` hands. @returns what ends it */
export function onHandedBack(take: (id: string) => void): () => void {
  const channel = new BroadcastChannel(channelName)
  const hear = ({ origin, data }: MessageEvent): void => {
    const { type, signedAgreementId } = (data ?? {}) as { type?: unknown; signedAgreementId?: unknown }
    if (origin === location.origin && type === message && typeof signedAgreementId === 'string') take(signedAgreementId)
  }
  channel.addEventListener('message', hear)
  addEventListener('message', hear)
  return () => {
    channel.close()
    removeEventListener('message', hear)
  }
}
