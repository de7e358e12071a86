// Shows the onboarding page in a frame of your own page, and tells how far the end-user has come.

/** What the page shows; never anything that the end-user typed. */
export type OnboardingState = 'terms' | 'form' | 'review' | 'done' | 'stopped' | 'ended'

export interface MountOnboardingOptions {
  /** `url` of `causeway.onboarding.createLink`. Ask for it on your server: the API key stays there. */
  readonly url: string
  /** Called with each step: `ended` when the link has expired, was revoked, or was opened elsewhere. */
  readonly onState?: (state: OnboardingState) => void
  /** Called once, when the end-user is approved. Believe your webhooks, not your end-user's browser. */
  readonly onDone?: () => void
  /** The title of the frame, for screen readers. Default: `Verification`. */
  readonly title?: string
}

export interface MountedOnboarding {
  /** Takes the frame away. What was typed and not sent is gone. */
  unmount(): void
}

const states: ReadonlySet<unknown> = new Set<OnboardingState>(['terms', 'form', 'review', 'done', 'stopped', 'ended'])
const heightMax = 20_000

/**
 * Shows the page of a link inside an element. The origin of your page has to be among `embedOrigins` of the branding.
 * @throws TypeError for a URL that is no onboarding link
 */
export function mountOnboarding(element: Element, options: MountOnboardingOptions): MountedOnboarding {
  const { url, onState, onDone, title = 'Verification' } = options
  const { origin, protocol, pathname } = new URL(url)
  if ((protocol !== 'https:' && protocol !== 'http:') || !pathname.includes('/onboard/'))
    throw new TypeError('url must be the url of an onboarding link.')
  const frame = document.createElement('iframe')
  frame.title = title
  frame.allow = 'camera'
  frame.referrerPolicy = 'origin'
  frame.style.cssText = 'width: 100%; min-height: 40rem; border: 0'
  let isDone = false
  const onMessage = ({ origin: from, source, data }: MessageEvent): void => {
    // Any page may send messages to this one: the origin and the very window must be those of the frame.
    if (from !== origin || source !== frame.contentWindow) return
    const { type, state, height } = (data ?? {}) as { type?: unknown; state?: unknown; height?: unknown }
    if (type === 'causeway.onboarding.height' && typeof height === 'number' && height > 0)
      frame.style.height = `${Math.min(Math.ceil(height), heightMax)}px`
    if (type !== 'causeway.onboarding.state' || !states.has(state)) return
    onState?.(state as OnboardingState)
    if (state !== 'done' || isDone) return
    isDone = true
    onDone?.()
  }
  addEventListener('message', onMessage)
  // The page tells nothing before it knows who asks: a browser names the sender of this message, which nobody can choose.
  frame.addEventListener('load', () => frame.contentWindow?.postMessage({ type: 'causeway.onboarding.hello' }, origin))
  frame.src = url
  element.append(frame)
  return {
    unmount() {
      removeEventListener('message', onMessage)
      frame.remove()
    },
  }
}
