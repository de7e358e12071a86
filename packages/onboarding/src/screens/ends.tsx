// Where the end-user has nothing to type: the wait for a decision, the provider's own page, and the ends.

import { useState } from 'react'
import type { Client, Opening, PageState } from '../client.ts'
import { Failed, Heading } from '../layout/layout.tsx'
import { useShared } from '../parts/context.ts'
import { fill } from '../texts/texts.ts'

export function WaitScreen({ opening, state, isNoted }: { opening: Opening; state: PageState; isNoted: boolean }) {
  const { texts, language } = useShared()
  const { expectedBy } = state.nextAction
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short' })
  return (
    <>
      <Heading>{isNoted ? texts.terms.heading : texts.wait.heading}</Heading>
      <p role="status" className="waiting">
        {isNoted ? texts.terms.noted : texts.wait.intro}
      </p>
      {expectedBy !== undefined && <p>{fill(texts.wait.by, { time: format.format(new Date(expectedBy)) })}</p>}
      {!isNoted && <p className="soft">{texts.wait.close}</p>}
      <BackLink opening={opening} as="pending" />
    </>
  )
}

export function DoneScreen({ opening }: { opening: Opening }) {
  const { texts, business } = useShared()
  return (
    <>
      <Sign of="good" />
      <Heading>{opening.type === 'individual' ? texts.done.heading : texts.done.headingCompany}</Heading>
      <p>{fill(texts.done.next, { business })}</p>
      <BackLink opening={opening} as="approved" />
      {opening.redirectUri === null && <p>{fill(texts.done.close, { business })}</p>}
    </>
  )
}

export function StoppedScreen({ opening }: { opening: Opening }) {
  const { texts, business } = useShared()
  const { supportEmail } = opening.branding
  return (
    <>
      <Sign of="bad" />
      <Heading>{opening.type === 'individual' ? texts.stopped.heading : texts.stopped.headingCompany}</Heading>
      <p>{texts.stopped.intro}</p>
      <p>{fill(texts.stopped.contact, { business })}</p>
      {supportEmail !== null && (
        <div className="actions">
          <a className="primary" href={`mailto:${encodeURIComponent(supportEmail)}`}>
            {fill(texts.stopped.write, { email: supportEmail })}
          </a>
        </div>
      )}
      <BackLink opening={opening} as="stopped" />
    </>
  )
}

/**
 * The provider's own page, for data that the form cannot submit. It opens in another window; this page continues when
 * it is done.
 */
export function HostedScreen({ client, state }: { client: Client; state: PageState }) {
  const { texts } = useShared()
  const [url, setUrl] = useState<string | null>(state.nextAction.url ?? null)
  const [hasFailed, setFailed] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const find = async (): Promise<void> => {
    setBusy(true)
    setFailed(false)
    const found = await client.hosted().catch(() => null)
    setBusy(false)
    if (found?.url) setUrl(found.url)
    else setFailed(true)
  }
  return (
    <>
      <Heading>{texts.stopped.hosted}</Heading>
      <p>{texts.stopped.hostedIntro}</p>
      {hasFailed && <Failed text={texts.page.failed} requestId={null} />}
      <div className="actions">
        {url === null ? (
          <button type="button" className="primary" disabled={isBusy} onClick={() => void find()}>
            {texts.page.next}
          </button>
        ) : (
          <a className="primary" href={url} target="_blank" rel="noreferrer">
            {texts.stopped.hostedOpen}
          </a>
        )}
      </div>
    </>
  )
}

/** A tick or a cross. The heading below says the same. */
function Sign({ of }: { of: 'good' | 'bad' }) {
  return (
    <svg className={`sign ${of}`} viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="24" cy="24" r="24" />
      <path d={of === 'good' ? 'M14 25l7 7 13-15' : 'M17 17l14 14M31 17L17 31'} />
    </svg>
  )
}

/** The link does not open the page, or does so no longer. */
export function EndedScreen(props: { code: string; requestId: string | null; isOnPhone: boolean }) {
  const { code, requestId, isOnPhone } = props
  const { texts } = useShared()
  const { heading, offline: _, failed: __, again, ...ends } = texts.link
  if (code === 'onboarding_session_ended')
    return (
      <>
        <Heading>{isOnPhone ? texts.phone.offer : heading}</Heading>
        <p>{isOnPhone ? texts.phone.opened : ends[code]}</p>
        <Reload text={isOnPhone ? texts.phone.here : again} />
      </>
    )
  const known = (ends as Readonly<Record<string, string>>)[code]
  if (known !== undefined)
    return (
      <>
        <Heading>{heading}</Heading>
        <p>{known}</p>
      </>
    )
  return (
    <>
      <Heading>{heading}</Heading>
      <NotLoaded isOffline={code === 'offline'} requestId={requestId} />
    </>
  )
}

/** Loading the page failed before anything was entered: it can be reloaded. */
export function NotLoaded({ isOffline, requestId }: { isOffline: boolean; requestId: string | null }) {
  const { texts } = useShared()
  return (
    <>
      <Failed text={isOffline ? texts.link.offline : texts.link.failed} requestId={requestId} />
      <Reload text={texts.page.tryAgain} />
    </>
  )
}

export function Reload({ text }: { text: string }) {
  return (
    <div className="actions">
      <button type="button" className="primary" onClick={() => location.reload()}>
        {text}
      </button>
    </div>
  )
}

/**
 * Links back with the state, without data about the end-user. In a frame, the embedding page decides what comes next.
 */
function BackLink({ opening, as }: { opening: Opening; as: 'approved' | 'pending' | 'stopped' }) {
  const { texts, business } = useShared()
  const { redirectUri } = opening
  if (redirectUri === null || window.parent !== window) return null
  const url = new URL(redirectUri)
  url.searchParams.set('onboarding', as)
  return (
    <div className="actions">
      <a className={as === 'approved' ? 'primary' : 'secondary'} href={url.href} rel="noreferrer">
        {fill(texts.done.back, { business })}
      </a>
    </div>
  )
}
