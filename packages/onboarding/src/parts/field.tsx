// One question with its label, its answer and what is wrong with it. What is wrong is read aloud, and the field names it.

import { type ReactNode, useId } from 'react'
import type { Answer, Question } from '../form/questions.ts'
import { useLanguage, useTexts, wordOf } from '../texts/texts.ts'
import { countriesIn } from './countries.ts'

export type FieldProps = {
  question: Question
  answer: Answer | undefined
  problem: string | undefined
  onAnswer: (answer: Answer) => void
  /** The end-user has left the field. */
  onLeave: () => void
}

type Attributes = { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined; required: boolean }

export function Field({ question, problem, children }: Pick<FieldProps, 'question' | 'problem'> & { children: (attributes: Attributes) => ReactNode }) {
  const texts = useTexts()
  const id = useId()
  const problemId = `${id}-problem`
  return (
    <div className="field" data-path={question.path}>
      <label htmlFor={id}>
        {texts.field[question.label]}
        {question.isOptional && <span className="hint"> ({texts.page.optional})</span>}
      </label>
      {children({
        id,
        'aria-invalid': problem !== undefined,
        'aria-describedby': problem === undefined ? undefined : problemId,
        required: !question.isOptional,
      })}
      {problem !== undefined && (
        <p className="problem" id={problemId} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

const inputTypes = { text: 'text', email: 'email', tel: 'tel', date: 'date' } as const

export function TextField({ question, answer, problem, onAnswer, onLeave }: FieldProps) {
  const value = typeof answer === 'string' ? answer : ''
  const change = (event: { currentTarget: { value: string } }) => onAnswer(event.currentTarget.value)
  return (
    <Field question={question} problem={problem}>
      {(attributes) =>
        question.kind === 'long' ? (
          <textarea {...attributes} rows={3} value={value} onChange={change} onBlur={onLeave} maxLength={1024} />
        ) : (
          <input
            {...attributes}
            type={inputTypes[question.kind as keyof typeof inputTypes] ?? 'text'}
            value={value}
            onChange={change}
            onBlur={onLeave}
            autoComplete={question.autoComplete ?? 'off'}
            maxLength={1024}
          />
        )
      }
    </Field>
  )
}

export function ChoiceField({ question, answer, problem, onAnswer, onLeave }: FieldProps) {
  const texts = useTexts()
  const language = useLanguage()
  const choices =
    question.kind === 'country' || question.kind === 'countries'
      ? countriesIn(language)
      : (question.choices ?? []).map((word) => ({ value: word, label: wordOf(texts, word) }))
  const value = Array.isArray(answer) ? (answer[0] ?? '') : typeof answer === 'string' ? answer : ''
  return (
    <Field question={question} problem={problem}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={({ currentTarget }) =>
            onAnswer(question.kind === 'countries' ? [currentTarget.value] : currentTarget.value)
          }
          onBlur={onLeave}
        >
          <option value="">{texts.page.choose}</option>
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function YesNoField({ question, answer, problem, onAnswer, onLeave }: FieldProps) {
  const texts = useTexts()
  const name = useId()
  return (
    <fieldset className="field" data-path={question.path} aria-invalid={problem !== undefined}>
      <legend>{texts.field[question.label]}</legend>
      <div className="choices">
        {([true, false] as const).map((value) => (
          <label key={String(value)}>
            <input type="radio" name={name} checked={answer === value} onChange={() => onAnswer(value)} onBlur={onLeave} />
            {value ? texts.page.yes : texts.page.no}
          </label>
        ))}
      </div>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  )
}
