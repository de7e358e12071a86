// The page of a link: always the one step that the next action names.

import { useCallback, useEffect, useMemo, useState } from 'react'
import type { PageState } from './client.ts'
import type { Parent, Told } from './embedding.ts'
import { correctionOf } from './form/correction.ts'
import { type Held, nothingHeld } from './form/steps.ts'
import { Boundary } from './layout/boundary.tsx'
import { Layout } from './layout/layout.tsx'
import { Progress } from './layout/progress.tsx'
import { stagesOf } from './layout/stages.ts'
import { SharedContext } from './parts/context.ts'
import { DoneScreen, EndedScreen, HostedScreen, StoppedScreen, WaitScreen } from './screens/ends.tsx'
import { FormScreen } from './screens/form.tsx'
import { StartScreen } from './screens/start.tsx'
import { TermsScreen } from './screens/terms.tsx'
import { type Session, useSession } from './session.ts'
import { en, type Texts } from './texts/en.ts'
import { fill, languageOf, loadTexts } from './texts/texts.ts'
import { useColors } from './theme.ts'
import { begunPlace, firstPlace, useTrail } from './trail.ts'

export function App({ code, parent }: { code: string; parent: Parent }) {
  const session = useSession(code)
  const [chosen, setChosen] = useState<string | null>(null)
  const { client } = session
  const opening = client?.opening
  const branding = opening?.branding ?? null
  const language = chosen ?? languageOf(opening?.locale ?? null, navigator.languages)
  const shown = useLanguage(language, session.is !== 'opening' || opening !== undefined)
  const texts = shown?.texts ?? en
  const business = branding?.name ?? ''
  const [isPhoneOffered, setPhoneOffered] = useState(false)
  const [progressPlace, setProgressPlace] = useState<HTMLElement | null>(null)
  const shared = useMemo(
    () => ({
      language: shown?.language ?? 'en',
      texts,
      business,
      client,
      progressPlace,
      onPhoneOffered: () => setPhoneOffered(true),
    }),
    [shown, texts, business, client, progressPlace],
  )
  useColors(branding)
  useEffect(() => {
    document.documentElement.lang = shown?.language ?? 'en'
    document.title = fill(texts.page.title, { business })
  }, [shown, texts, business])
  useEffect(() => parent.allow(opening?.embedOrigins ?? []), [parent, opening])
  return (
    <SharedContext value={shared}>
      {session.is === 'opening' || shown === null ? (
        <p role="status" className="page">
          {texts.page.loading}
        </p>
      ) : (
        <Layout
          branding={branding}
          isSandbox={opening?.isSandbox ?? false}
          onLanguage={setChosen}
          onProgressPlace={setProgressPlace}
        >
          <Boundary>
            {session.is === 'ended' && (
              <Ended code={session.code} requestId={session.requestId} isOnPhone={isPhoneOffered} parent={parent} />
            )}
            {session.is === 'open' && <Steps session={session} parent={parent} />}
          </Boundary>
        </Layout>
      )}
    </SharedContext>
  )
}

/** Keeps the texts that are shown until those of another language have come. @param isAsked whether the link has named its language */
function useLanguage(language: string, isAsked: boolean) {
  const [shown, setShown] = useState<{ language: string; texts: Texts } | null>(null)
  useEffect(() => {
    let isGone = false
    void loadTexts(language).then((texts) => !isGone && isAsked && setShown({ language, texts }))
    return () => {
      isGone = true
    }
  }, [language, isAsked])
  return shown
}

type EndedProps = { code: string; requestId: string | null; isOnPhone: boolean; parent: Parent }

function Ended({ parent, ...ended }: EndedProps) {
  useTold(parent, 'ended')
  return <EndedScreen {...ended} />
}

type Step = Extract<Told, { type: 'causeway.onboarding.state' }>['state']

function useTold(parent: Parent, state: Step): void {
  useEffect(() => parent.tell({ type: 'causeway.onboarding.state', state }), [parent, state])
}

function Steps({ session, parent }: { session: Extract<Session, { is: 'open' }>; parent: Parent }) {
  const { client, refresh } = session
  const { type } = client.opening
  const trail = useTrail()
  // While a submission is sent, its form stays. The long poll can have the next state before the response has come: then
  // Back would still be held, and the old values be cleared from a new form.
  const [sentFrom, setSentFrom] = useState<PageState | null>(null)
  const state = sentFrom ?? session.state
  const [agreement, setAgreement] = useState<string | null>(null)
  const [held, setHeld] = useState<Held>(nothingHeld)
  const [submissions, setSubmissions] = useState(0)
  const plan = { type, correction: correctionOf(type, state) }
  const [hasTerms] = useState(state.nextAction.kind === 'accept_tos')
  const stages = stagesOf(plan, hasTerms && plan.correction === null)
  const step = stepOf(state, trail.place !== firstPlace, agreement !== null)
  useTold(parent, step)
  useEffect(() => warnOfLoss(held), [held])
  const agreed = useCallback((id: string) => setAgreement(id), [])
  switch (step) {
    case 'start':
      return (
        <>
          <Progress stages={stages} now={0} part={0} />
          <StartScreen type={type} hasStartedOver={trail.hasStartedOver} onBegin={() => trail.go(begunPlace)} />
        </>
      )
    case 'terms':
      return (
        <>
          <Progress stages={stages} now={0} part={0} />
          <TermsScreen client={client} onAgreed={agreed} />
        </>
      )
    case 'form':
      return (
        <FormScreen
          key={submissions}
          state={state}
          client={client}
          trail={trail}
          plan={plan}
          stages={stages}
          held={held}
          onHeld={setHeld}
          agreement={agreement}
          onSending={(isSending) => {
            trail.hold(isSending)
            setSentFrom(isSending ? session.state : null)
          }}
          onSent={async () => {
            await refresh()
            trail.restart()
            setSentFrom(null)
            setHeld(onlyCountry)
            setAgreement(null)
            setSubmissions((count) => count + 1)
          }}
          onTermsLost={async () => {
            setAgreement(null)
            await refresh()
          }}
        />
      )
    case 'waiting':
      return <WaitScreen opening={client.opening} state={state} isNoted={state.nextAction.kind === 'accept_tos'} />
    case 'hosted':
      return <HostedScreen client={client} state={state} />
    case 'done':
      return <DoneScreen opening={client.opening} />
    case 'stopped':
      return <StoppedScreen opening={client.opening} />
  }
}

/** Clears the form after a submission. The country stays, so that a correction need not ask for it again. */
function onlyCountry({ answers, requirements }: Held): Held {
  const { country } = answers
  const own = requirements['']
  return country === undefined || own === undefined
    ? nothingHeld
    : { answers: { country }, people: [], requirements: { '': own } }
}

/** Makes the browser ask before entered values are lost. */
function warnOfLoss({ answers }: Held): (() => void) | undefined {
  if (Object.keys(answers).length === 0) return undefined
  const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
  addEventListener('beforeunload', warn)
  return () => removeEventListener('beforeunload', warn)
}

type Shown = Exclude<Step, 'ended'>

function stepOf({ nextAction, isSubmitted }: PageState, hasBegun: boolean, hasAgreed: boolean): Shown {
  switch (nextAction.kind) {
    case 'none':
      return 'done'
    case 'wait':
      return 'waiting'
    case 'contact_support':
      return 'stopped'
    case 'open_link':
      return 'hosted'
    case 'resubmit_kyc':
      return 'form'
    case 'submit_kyc':
      return hasBegun ? 'form' : 'start'
    case 'accept_tos':
      if (!hasBegun && !isSubmitted) return 'start'
      if (!hasAgreed) return 'terms'
      // The provider has the data from its own page: the state follows.
      return isSubmitted ? 'waiting' : 'form'
  }
}
