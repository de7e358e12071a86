// What will be sent, once more, before it is.

import type { FormEvent } from 'react'
import { type Answer, answerOf, isAsked, isGiven, isPaper, type Question } from '../form/question.ts'
import type { Step } from '../form/steps.ts'
import type { Form } from '../form/use-form.ts'
import { useShared, useTexts } from '../parts/context.ts'
import { countriesIn } from '../parts/countries.ts'
import { useLabel } from '../parts/field.tsx'
import { Preview } from '../parts/photo-field.tsx'
import { listedName } from '../parts/search-field.tsx'
import { fill, nameOf } from '../texts/texts.ts'
import { Actions } from './actions.tsx'
import { Masked } from './masked.tsx'
import { nameOf as personName } from './people.tsx'

export function ReviewStep({ form }: { form: Form }) {
  const texts = useTexts()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void form.send()
  }
  return (
    <form noValidate onSubmit={submit}>
      <p>{texts.form.reviewHint}</p>
      {form.steps
        .filter(({ kind }) => kind === 'questions')
        .map((step) => (
          <ReviewOf key={step.id} form={form} step={step} />
        ))}
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

function ReviewOf({ form, step }: { form: Form; step: Step }) {
  const texts = useTexts()
  const { answers } = form.held
  const person = /^people\.(.+)\.$/.exec(step.at)?.[1]
  const heading = texts.section[step.heading]
  const name = person === undefined ? heading : `${personName(texts, form, person)}: ${heading}`
  return (
    <section className="review">
      <h2>{name}</h2>
      <button
        type="button"
        className="quiet"
        disabled={form.isBusy}
        aria-label={fill(texts.page.edit, { name })}
        onClick={() => form.goTo(step.id)}
      >
        {texts.page.change}
      </button>
      <dl>
        {step.questions
          .filter((question) => isAsked(question, answers) || answerOf(question, answers) !== undefined)
          .map((question) => (
            <Answered key={question.path} question={question} answer={answerOf(question, answers)} />
          ))}
      </dl>
    </section>
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
    if (!isGiven(answer)) return texts.form.notGiven
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
