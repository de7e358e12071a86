// Shows the complete submission before it is sent.

import type { FormEvent, ReactNode } from 'react'
import { type Answer, answerOf, isGiven, isPaper, type Question } from '../form/question.ts'
import type { Step } from '../form/steps.ts'
import type { Form } from '../form/use-form.ts'
import { useShared, useTexts } from '../parts/context.ts'
import { countriesIn } from '../parts/countries.ts'
import { useLabel } from '../parts/field.tsx'
import { Preview } from '../parts/photo-field.tsx'
import { listedName } from '../parts/search-field.tsx'
import type { Texts } from '../texts/en.ts'
import { fill, nameOf } from '../texts/texts.ts'
import { Actions } from './actions.tsx'
import { Masked } from './masked.tsx'
import { nameOf as personName, personOf, rolesOf } from './people.tsx'

export function ReviewStep({ form }: { form: Form }) {
  const texts = useTexts()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void form.send()
  }
  const questionSteps = form.steps.filter(({ kind }) => kind === 'questions')
  return (
    <form noValidate onSubmit={submit}>
      <p>{texts.form.reviewHint}</p>
      {[...Map.groupBy(questionSteps, ({ at }) => at)].map(([at, steps]) =>
        at === '' ? (
          steps.map((step) => <StepReview key={step.id} form={form} step={step} />)
        ) : (
          <PersonReview key={at} form={form} steps={steps} />
        ),
      )}
      {form.isBusy && (
        <>
          <p className="soft" role="status">
            {form.sentPart < 1 ? texts.form.sending : texts.form.sent}
          </p>
          <progress aria-label={texts.form.sending} value={form.sentPart} />
          <p className="soft">{fill(texts.form.sendingPart, { percent: Math.floor(form.sentPart * 100) })}</p>
        </>
      )}
      <Actions form={form} isLast />
    </form>
  )
}

function StepReview({ form, step }: { form: Form; step: Step }) {
  const name = useTexts().section[step.heading]
  return (
    <Group form={form} step={step} name={name} heading={<h2>{name}</h2>}>
      <AnswersOf form={form} step={step} />
    </Group>
  )
}

/** Everything about one person of a company. The heading has the name and the roles, so no label repeats them. */
function PersonReview({ form, steps }: { form: Form; steps: readonly Step[] }) {
  const texts = useTexts()
  const [role, ...others] = steps
  if (role === undefined) return null
  const person = personOf(role)
  const name = personName(texts, form, person)
  return (
    <section className="person" aria-label={name}>
      <Group
        form={form}
        step={role}
        name={name}
        heading={
          <div>
            <h2>{name}</h2>
            <p className="soft">{rolesOf(texts, form, person)}</p>
          </div>
        }
      />
      {others.map((step) => {
        const group = groupName(texts, step)
        return (
          <Group key={step.id} form={form} step={step} name={`${name}: ${group}`} heading={<h3>{group}</h3>}>
            <AnswersOf form={form} step={step} />
          </Group>
        )
      })}
    </section>
  )
}

/** The name of a group of a person's values, below the name of the person. */
function groupName({ group, section }: Texts, { id, at, heading }: Step): string {
  return (group as Readonly<Record<string, string>>)[id.slice(at.length)] ?? section[heading]
}

type GroupProps = { form: Form; step: Step; name: string; heading: ReactNode; children?: ReactNode }

function Group({ form, step, name, heading, children }: GroupProps) {
  const { page } = useTexts()
  return (
    <section className="review">
      {heading}
      <button
        type="button"
        className="quiet small"
        disabled={form.isBusy}
        aria-label={fill(page.editOf, { name })}
        onClick={() => form.goTo(step.id)}
      >
        {page.edit}
      </button>
      {children}
    </section>
  )
}

function AnswersOf({ form, step }: { form: Form; step: Step }) {
  const { answers } = form.held
  return (
    <dl>
      {step.questions
        .filter((question) => isGiven(answerOf(question, answers)))
        .map((question) => (
          <Answered
            key={question.path}
            // The heading says whose country it is.
            question={question.path === step.country?.path ? { ...question, label: 'country' } : question}
            answer={answerOf(question, answers)}
          />
        ))}
    </dl>
  )
}

function Answered({ question, answer }: { question: Question; answer: Answer | undefined }) {
  const label = useLabel(question)
  const inWords = useInWords()
  const isNumber = /(tax_id|photo_id)\.number$/.test(question.path)
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {isPaper(answer) ? (
          <Preview paper={answer} />
        ) : isNumber && isGiven(answer) ? (
          <Masked text={String(answer)} label={label} />
        ) : (
          (listedName(question, answer) ?? inWords(question, answer))
        )}
      </dd>
    </div>
  )
}

function useInWords() {
  const { texts, language } = useShared()
  const countryOf = (code: string) => countriesIn(language).find(({ value }) => value === code)?.label ?? code
  return ({ kind, names, options }: Question, answer: Answer | undefined): string => {
    if (typeof answer === 'boolean') return answer ? texts.page.yes : texts.page.no
    if (Array.isArray(answer))
      return answer
        .filter((each) => each !== '')
        .map(countryOf)
        .join(', ')
    const text = String(answer)
    if (kind === 'country') return countryOf(text)
    if (kind === 'date') return dateIn(language, text)
    if (options !== undefined) return options.find(({ value }) => value === text)?.label ?? text
    return kind === 'choice' ? nameOf(texts, text, names) : text
  }
}

function dateIn(language: string, text: string): string {
  const date = new Date(`${text}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return text
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
}
