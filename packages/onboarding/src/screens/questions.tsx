// A step of questions. Problems are listed above them, each with a link to its field.

import { type FormEvent, useEffect, useRef, useState } from 'react'
import { isAsked, type Question } from '../form/question.ts'
import type { Form } from '../form/use-form.ts'
import { SummedContext, useTexts } from '../parts/context.ts'
import { useLabel, useRuleText } from '../parts/field.tsx'
import { Input } from '../parts/inputs.tsx'
import { OnPhone } from '../phone/on-phone.tsx'
import { fill } from '../texts/texts.ts'
import { Actions } from './actions.tsx'

export function QuestionStep({ form }: { form: Form }) {
  const { step, held, problems } = form
  const texts = useTexts()
  const ruleText = useRuleText()
  const box = useRef<HTMLFormElement>(null)
  const asked = step.questions.filter((question) => isAsked(question, held.answers))
  const wrong = asked.filter(({ path }) => problems[path] !== undefined)
  // The server may have found something after everything was sent.
  const [tries, setTries] = useState(wrong.length)
  const isSummed = tries > 0 && wrong.length > 0
  const isRoleless = step.heading === 'role' && roles.every((role) => held.answers[step.at + role] === false)
  const focus = (path: string): void => {
    const fields = [...(box.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])]
    const field = fields.find((each) => each.dataset['path'] === path)
    field?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per try, and never while somebody types
  useEffect(() => {
    const [first, second] = wrong
    if (tries === 0 || first === undefined) return
    if (second === undefined) focus(first.path)
    else box.current?.querySelector<HTMLElement>('.summary')?.focus()
  }, [tries])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isRoleless) setTries(tries + 1)
    else void form.next().then(() => setTries(tries + 1))
  }
  return (
    <form ref={box} noValidate onSubmit={submit}>
      {isSummed && (
        <Summary wrong={wrong} textOf={({ path }) => ruleText(problems[path]) ?? ''} onGo={({ path }) => focus(path)} />
      )}
      <SummedContext value={isSummed}>
        {asked.map((question) => (
          <Input
            key={question.path}
            question={step.at === '' ? question : ofSomebodyElse(question)}
            answers={held.answers}
            problem={ruleText(problems[question.path])}
            onAnswer={(answer) => form.answer(question.path, answer)}
            onLeave={() => void form.leave(question.path)}
          />
        ))}
      </SummedContext>
      {isRoleless && tries > 0 && (
        <p className="problem" role="alert">
          {texts.form.noRole}
        </p>
      )}
      <Actions form={form} />
      {asked.some(({ kind }) => kind === 'photo' || kind === 'paper') && <OnPhone loses />}
    </form>
  )
}

/** A person without any of these has no role in the company. */
const roles = ['has_ownership', 'has_control', 'is_signer']

/** The browser offers the data of the person who types, and those of a company's people are others'. */
const ofSomebodyElse = ({ autoComplete: _, ...question }: Question): Question => question

type SummaryProps = {
  wrong: readonly Question[]
  textOf: (question: Question) => string
  onGo: (question: Question) => void
}

function Summary({ wrong, textOf, onGo }: SummaryProps) {
  const { page } = useTexts()
  return (
    <div className="summary" role="alert" tabIndex={-1}>
      <h2>{wrong.length === 1 ? page.problemOne : fill(page.problems, { count: wrong.length })}</h2>
      <ul>
        {wrong.map((question) => (
          <li key={question.path}>
            <SummaryLink question={question} problem={textOf(question)} onGo={() => onGo(question)} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function SummaryLink({ question, problem, onGo }: { question: Question; problem: string; onGo: () => void }) {
  const { page } = useTexts()
  const field = useLabel(question)
  return (
    <button type="button" className="link" onClick={onGo}>
      {field.endsWith('?') ? `${field} ${problem}` : fill(page.problemAt, { field, problem })}
    </button>
  )
}
