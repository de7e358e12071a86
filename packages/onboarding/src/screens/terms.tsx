// The provider's terms, in a frame or in a separate window. The agreement comes from the message of that page, or from
// its redirect.

import { openTerms, TermsError } from '@causeway/sdk/terms'
import { useEffect, useRef, useState } from 'react'
import { onHandedBack } from '../agreement.ts'
import { type Client, Refused } from '../client.ts'
import { Failed, Heading } from '../layout/layout.tsx'
import { useShared } from '../parts/context.ts'

type Link = { url: string; origin: string }
type Trouble = { text: string; requestId: string | null }

export function TermsScreen({ client, onAgreed }: { client: Client; onAgreed: (agreement: string) => void }) {
  const { texts } = useShared()
  const { link, trouble: linkTrouble } = useTermsLink(client, texts.page.failed)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const [isInWindow, setInWindow] = useState(false)
  const frame = useRef<HTMLDivElement>(null)

  useEffect(() => onHandedBack(onAgreed), [onAgreed])

  useEffect(() => {
    if (link === null || isInWindow || frame.current === null) return
    const gone = new AbortController()
    const shown = { tosLink: link.url, tosOrigin: link.origin, title: texts.terms.frame }
    openTerms({ ...shown, container: frame.current, signal: gone.signal }).then(onAgreed, () => {})
    return () => gone.abort()
  }, [link, isInWindow, onAgreed, texts])

  const openWindow = async (): Promise<void> => {
    if (link === null) return
    setInWindow(true)
    setTrouble(null)
    try {
      onAgreed(await openTerms({ tosLink: link.url, tosOrigin: link.origin }))
    } catch (error) {
      setInWindow(false)
      const isBlocked = error instanceof TermsError && error.code === 'window_blocked'
      setTrouble({ text: isBlocked ? texts.terms.blocked : texts.terms.closed, requestId: null })
    }
  }
  const told = trouble ?? linkTrouble
  return (
    <>
      <Heading>{texts.terms.heading}</Heading>
      <p>{texts.terms.intro}</p>
      {told && <Failed {...told} />}
      {!isInWindow && <div ref={frame} className="terms" aria-busy={link === null} />}
      <p className="soft">{texts.terms.windowHint}</p>
      <button type="button" className="secondary" disabled={link === null} onClick={() => void openWindow()}>
        {texts.terms.window}
      </button>
    </>
  )
}

function useTermsLink(client: Client, failed: string): { link: Link | null; trouble: Trouble | null } {
  const [link, setLink] = useState<Link | null>(null)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  useEffect(() => {
    let isGone = false
    client.terms().then(
      (found) => !isGone && setLink(found),
      (error: unknown) => {
        const requestId = error instanceof Refused ? error.requestId : null
        if (!isGone) setTrouble({ text: failed, requestId })
      },
    )
    return () => {
      isGone = true
    }
  }, [client, failed])
  return { link, trouble }
}
