// The form, one step on the screen at a time.

import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Client, PageState } from '../client.ts'
import { isAsked } from '../form/question.ts'
import { askedPerson, type Plan } from '../form/steps.ts'
import { type Form, type FormProps, useForm } from '../form/use-form.ts'
import { useTexts } from '../parts/context.ts'
import { useRuleText } from '../parts/field.tsx'
import { Input } from '../parts/inputs.tsx'
import { fill } from '../texts/texts.ts'
import { Actions } from './actions.tsx'
import { NotLoaded } from './ends.tsx'
import { Failed, Heading } from './layout.tsx'
import { nameOf, PeopleStep } from './people.tsx'
import { Reasons } from './reasons.tsx'
import { ReviewStep } from './review.tsx'

export function FormScreen({ state, ...props }: FormProps & { state: PageState }) {
  const texts = useTexts()
  const form = useForm(props)
  const { step, steps, failure } = form
  const emails = useEmails(props.client, props.plan)
  const person = /^people\.(.+)\.$/.exec(step.at)?.[1]
  const asked = person === undefined ? undefined : askedPerson(props.plan, person)
  if (form.readiness === false) return <p role="status">{texts.page.loading}</p>
  if (form.readiness !== true)
    return <NotLoaded isOffline={form.readiness.text === 'offline'} requestId={form.readiness.requestId} />
  const own = steps.filter(({ at }) => at === '')
  return (
    <>
      {step.at === '' && own.length > 2 && (
        <p className="soft">{fill(texts.page.steps, { now: own.indexOf(step) + 1, all: own.length })}</p>
      )}
      {person !== undefined && <p className="soft">{emails[asked?.id ?? ''] ?? nameOf(texts, form, person)}</p>}
      <Heading key={step.id}>{texts.section[step.heading]}</Heading>
      {props.plan.correction && step.kind !== 'review' && <Reasons state={state} personId={asked?.id} />}
      {failure && failure.text !== 'offline' && (
        <Failed text={texts.page[failure.text]} requestId={failure.requestId} />
      )}
      {step.kind === 'questions' && <QuestionStep form={form} />}
      {step.kind === 'people' && <PeopleStep form={form} />}
      {step.kind === 'review' && <ReviewStep form={form} />}
    </>
  )
}

function QuestionStep({ form }: { form: Form }) {
  const { step, held, problems } = form
  const ruleText = useRuleText()
  const box = useRef<HTMLFormElement>(null)
  const first = step.questions.find(({ path }) => problems[path] !== undefined)?.path
  useEffect(() => {
    if (first === undefined) return
    const field = [...(box.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])].find(
      (each) => each.dataset['path'] === first,
    )
    field?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
  }, [first])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void form.next()
  }
  return (
    <form ref={box} noValidate onSubmit={submit}>
      {step.questions
        .filter((question) => isAsked(question, held.answers))
        .map((question) => (
          <Input
            key={question.path}
            question={question}
            answers={held.answers}
            problem={ruleText(problems[question.path])}
            onAnswer={(answer) => form.answer(question.path, answer)}
            onLeave={() => void form.leave(question.path)}
          />
        ))}
      <Actions form={form} />
    </form>
  )
}

/** By the e-mail address the end-user knows whom of the company is meant. */
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
