// Shows the provider's Terms of Service in a frame or a window, and takes the agreement ID from its message.

import { CausewayError } from '../core/causeway-error.ts'

export interface OpenTermsOptions {
  /** `tosLink` of `causeway.endUsers.createTosLink`. Create the link on your server, where the API key stays. */
  readonly tosLink: string
  /** The trusted origin or origins of messages: `tosOrigins` of the capabilities. Default: the origin of the link. */
  readonly tosOrigin?: string | readonly string[]
  /** The parent of the frame. Without it, a window opens: call `openTerms` inside a click, or the browser blocks the window. */
  readonly container?: Element
  /** The title of the frame, for screen readers. Default: `Terms of Service`. */
  readonly title?: string
  /** Removes the frame or closes the window, and rejects. */
  readonly signal?: AbortSignal
}

const texts = {
  window_blocked: 'The browser blocked the window. Call openTerms inside a click, or pass a container.',
  window_closed: 'The window was closed before the terms were accepted. Ask again: the same link still works.',
  aborted: 'The terms were removed because their signal was aborted.',
} as const

/** The terms were not accepted. `code` has the cause. */
export class TermsError extends CausewayError {
  static override readonly brand = 'TermsError'
  declare readonly code: keyof typeof texts

  constructor(code: keyof typeof texts, cause?: unknown) {
    super(code, texts[code], { cause })
  }
}

/** Milliseconds between checks, because no event reports a closed window. */
const closedCheckMs = 300

/**
 * Shows the terms until they are accepted.
 * @returns the ID of the agreement, for `signed_agreement_id` of the KYC submission. The ID does not prove who accepted: take the
 * user from your own session
 * @throws TermsError `window_blocked`, `window_closed`, `aborted`; TypeError for a link outside of `tosOrigin`
 */
export async function openTerms(options: OpenTermsOptions): Promise<string> {
  const { tosLink, container, title = 'Terms of Service', signal } = options
  const origin = checkedOrigin(options)
  if (signal?.aborted) throw new TermsError('aborted', signal.reason)
  const shown = container === undefined ? inWindow(tosLink) : inFrame(tosLink, container, title)
  return await new Promise<string>((resolve, reject) => {
    const settle = (end: () => void): void => {
      removeEventListener('message', onMessage)
      signal?.removeEventListener('abort', onAbort)
      clearInterval(timer)
      shown.close()
      end()
    }
    const onMessage = ({ origin: from, source, data }: MessageEvent): void => {
      // Any page can send messages to this page: only the origin and the window of the terms count.
      if (from !== origin || source !== shown.source()) return
      const id: unknown = (data as { signedAgreementId?: unknown } | null)?.signedAgreementId
      if (typeof id === 'string' && id !== '') settle(() => resolve(id))
    }
    const onAbort = (): void => settle(() => reject(new TermsError('aborted', signal?.reason)))
    const timer = setInterval(() => {
      if (shown.isClosed()) settle(() => reject(new TermsError('window_closed')))
    }, closedCheckMs)
    addEventListener('message', onMessage)
    signal?.addEventListener('abort', onAbort)
  })
}

interface Shown {
  source(): MessageEventSource | null
  isClosed(): boolean
  close(): void
}

function inFrame(tosLink: string, container: Element, title: string): Shown {
  const frame = document.createElement('iframe')
  frame.title = title
  frame.src = tosLink
  frame.style.cssText = 'width: 100%; height: 100%; min-height: 30rem; border: 0'
  container.append(frame)
  return {
    source: () => frame.contentWindow,
    isClosed: () => !frame.isConnected,
    close: () => frame.remove(),
  }
}

/** @throws TermsError `window_blocked` */
function inWindow(tosLink: string): Shown {
  const opened = window.open(tosLink, '_blank', 'popup,width=720,height=800')
  if (opened === null) throw new TermsError('window_blocked')
  return { source: () => opened, isClosed: () => opened.closed, close: () => opened.close() }
}

/** @throws TypeError */
function checkedOrigin({ tosLink, tosOrigin }: OpenTermsOptions): string {
  const { origin, protocol } = new URL(tosLink)
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('tosLink must be an http or https URL.')
  const allowed = tosOrigin === undefined ? [origin] : [tosOrigin].flat()
  if (allowed.includes(origin)) return origin
  throw new TypeError(`tosLink has the origin ${origin}, which is not in tosOrigin.`)
}
