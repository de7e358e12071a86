// The frame of every screen: the name of the business, the language, the support contact.

import { type ReactNode, useEffect, useRef } from 'react'
import type { Opening } from '../client.ts'
import { useConnection } from '../connection.ts'
import { useShared, useTexts } from '../parts/context.ts'
import { fill, languageNames } from '../texts/texts.ts'

type Props = {
  branding: Opening['branding'] | null
  isSandbox: boolean
  onLanguage: (language: string) => void
  onProgressPlace: (place: HTMLElement | null) => void
  children: ReactNode
}

export function Layout({ branding, isSandbox, onLanguage, onProgressPlace, children }: Props) {
  const texts = useTexts()
  const isReached = useConnection()
  return (
    <div className="page">
      <div className="notices" aria-live="assertive">
        {!isReached && <p className="notice">{texts.page.offline}</p>}
        {isSandbox && <p className="notice">{texts.page.sandbox}</p>}
      </div>
      <header>
        {branding && <Brand {...branding} />}
        <LanguageChooser onLanguage={onLanguage} />
      </header>
      <div className="progress" ref={onProgressPlace} />
      <main>{children}</main>
      <footer>
        {branding?.privacyUrl && (
          <a href={branding.privacyUrl} target="_blank" rel="noreferrer">
            {texts.page.privacy}
          </a>
        )}
        {branding?.supportEmail && (
          <a href={`mailto:${encodeURIComponent(branding.supportEmail)}`}>
            {fill(texts.page.help, { email: branding.supportEmail })}
          </a>
        )}
      </footer>
    </div>
  )
}

const Brand = ({ name, logo }: Opening['branding']) =>
  logo === null ? <strong>{name}</strong> : <img src={logo} alt={name} />

function LanguageChooser({ onLanguage }: Pick<Props, 'onLanguage'>) {
  const { texts, language } = useShared()
  return (
    <select
      aria-label={texts.page.language}
      value={language}
      onChange={({ currentTarget }) => onLanguage(currentTarget.value)}
    >
      {Object.entries(languageNames).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  )
}

/** The heading of a screen. Who hears the page instead of seeing it is taken there when the screen changes. */
export function Heading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

/** Why something failed, with the number by which the business finds it in its log. */
export function Failed({ text, requestId }: { text: string; requestId: string | null }) {
  const texts = useTexts()
  return (
    <div className="problem" role="alert">
      <p>{text}</p>
      {requestId !== null && <p>{fill(texts.page.reference, { id: requestId })}</p>}
    </div>
  )
}
