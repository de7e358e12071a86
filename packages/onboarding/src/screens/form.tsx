// The form, one step on the screen at a time.

import { useEffect, useState } from 'react'
import type { Client, PageState } from '../client.ts'
import type { FormProps } from '../form/requests.ts'
import { askedPerson, type Plan } from '../form/steps.ts'
import { useForm } from '../form/use-form.ts'
import { Failed, Heading } from '../layout/layout.tsx'
import { Progress } from '../layout/progress.tsx'
import { progressAt, type Stage } from '../layout/stages.ts'
import { useTexts } from '../parts/context.ts'
import { NotLoaded } from './ends.tsx'
import { nameOf, PeopleStep } from './people.tsx'
import { QuestionStep } from './questions.tsx'
import { Reasons } from './reasons.tsx'
import { ReviewStep } from './review.tsx'

export function FormScreen({ state, stages, ...props }: FormProps & { state: PageState; stages: readonly Stage[] }) {
  const texts = useTexts()
  const form = useForm(props)
  const { step, steps, failure } = form
  const emails = useEmails(props.client, props.plan)
  const person = /^people\.(.+)\.$/.exec(step.at)?.[1]
  const asked = person === undefined ? undefined : askedPerson(props.plan, person)
  if (form.readiness === false) return <p role="status">{texts.page.loading}</p>
  if (form.readiness !== true)
    return <NotLoaded isOffline={form.readiness.text === 'offline'} requestId={form.readiness.requestId} />
  return (
    <>
      <Progress {...progressAt(stages, { plan: props.plan, held: props.held, steps, step })} />
      {person !== undefined && <p className="soft">{emails[asked?.id ?? ''] ?? nameOf(texts, form, person)}</p>}
      <Heading key={step.id}>{texts.section[step.heading]}</Heading>
      {props.plan.correction && step.kind !== 'review' && <Reasons state={state} personId={asked?.id} />}
      {failure && failure.text !== 'offline' && (
        <Failed text={texts.page[failure.text]} requestId={failure.requestId} />
      )}
      {step.kind === 'questions' && <QuestionStep key={`${step.id} questions`} form={form} />}
      {step.kind === 'people' && <PeopleStep form={form} />}
      {step.kind === 'review' && <ReviewStep form={form} />}
    </>
  )
}

/** The email address shows the end-user which person of the company is meant. */
function useEmails(client: Client, { correction }: Plan): Readonly<Record<string, string>> {
  const [emails, setEmails] = useState<Readonly<Record<string, string>>>({})
  const isAsked = (correction?.people.length ?? 0) > 0
  useEffect(() => {
    if (!isAsked) return
    client.hosted().then(
      ({ people }) => setEmails(Object.fromEntries(people.map(({ id, email }) => [id, email ?? '']))),
      () => {}, // each is a person with a number then
    )
  }, [client, isAsked])
  return emails
}
