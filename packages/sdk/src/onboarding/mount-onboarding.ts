// Shows the onboarding page in a frame on your page, and reports the end-user's progress.

/** The step of the page. Never contains anything that the end-user typed. */
export type OnboardingState = 'start' | 'terms' | 'form' | 'waiting' | 'hosted' | 'done' | 'stopped' | 'ended'

export interface MountOnboardingOptions {
  /** `url` of `causeway.onboarding.createLink`. Create the link on your server, where the API key stays. */
  readonly url: string
  /** Called with each step: `ended` when the link has expired, was revoked, or was opened elsewhere. */
  readonly onState?: (state: OnboardingState) => void
  /** Called once, when the end-user is approved. Trust your webhooks, not your end-user's browser. */
  readonly onDone?: () => void
  /** The title of the frame, for screen readers. Default: `Verification`. */
  readonly title?: string
}

export interface MountedOnboarding {
  /** Removes the frame. Data that was typed but not submitted is lost. */
  unmount(): void
}

/** A total table: a state that is missing here does not compile. */
const states = {
  start: true,
  terms: true,
  form: true,
  waiting: true,
  hosted: true,
  done: true,
  stopped: true,
  ended: true,
} as const satisfies Record<OnboardingState, true>

const isState = (value: unknown): value is OnboardingState => typeof value === 'string' && Object.hasOwn(states, value)

/** In CSS pixels: a page whose height follows that of its frame stops growing. */
const heightMax = 20_000

/**
 * Shows the page of a link inside an element. The origin of your page has to be among `embedOrigins` of the branding.
 *
 * Each message names its target origin. Your page sends hello to the origin of the link whenever the frame has loaded. The page of
 * the link takes your origin from that message, and sends its step and height only to this origin. A message counts only if it comes
 * from this frame and from the origin of the link. Other frames, other windows, and a site that the frame opens later can neither
 * send nor receive these messages.
 * @throws TypeError for a URL that is no onboarding link
 */
export function mountOnboarding(element: Element, options: MountOnboardingOptions): MountedOnboarding {
  const { url, onState, onDone, title = 'Verification' } = options
  const origin = originOfLink(url)
  const frame = document.createElement('iframe')
  frame.title = title
  frame.allow = 'camera'
  frame.referrerPolicy = 'no-referrer'
  frame.style.cssText = 'width: 100%; min-height: 40rem; border: 0'
  let isDone = false
  const onMessage = ({ origin: from, source, data }: MessageEvent): void => {
    // Any page may send messages to this one. A frame that was removed has no window, like a message that was made by a script.
    if (from !== origin || source === null || source !== frame.contentWindow) return
    const { type, state, height } = (data ?? {}) as { type?: unknown; state?: unknown; height?: unknown }
    if (type === 'causeway.onboarding.height' && typeof height === 'number' && height > 0)
      frame.style.height = `${Math.min(Math.ceil(height), heightMax)}px`
    if (type !== 'causeway.onboarding.state' || !isState(state)) return
    onState?.(state)
    if (state !== 'done' || isDone) return
    isDone = true
    onDone?.()
  }
  addEventListener('message', onMessage)
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

/** @throws TypeError */
function originOfLink(url: string): string {
  const { origin, protocol, pathname, hash } = new URL(url)
  const isLink = /\/onboard\/onboarding_link_\w+$/.test(pathname) && hash.length > 1
  if (isLink && (protocol === 'https:' || protocol === 'http:')) return origin
  throw new TypeError('url must be the URL of an onboarding link, including the fragment after #.')
}
