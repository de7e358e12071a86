// A label, its control, and the problem of its value. Screen readers announce the problem, and the field refers to it.

import { type ReactNode, useContext, useId } from 'react'
import type { Wrong } from '../form/judge.ts'
import type { Answer, Answers, Question } from '../form/question.ts'
import { fill, wordOf } from '../texts/texts.ts'
import { SummedContext, useShared, useTexts } from './context.ts'

export type FieldProps = {
  question: Question
  answers: Answers
  /** The problem, in the language of the page. */
  problem: string | undefined
  onAnswer: (answer: Answer | undefined) => void
  /** The end-user has left the field. */
  onLeave: () => void
}

/** The label of the field: a document by its purpose, a photo by its side. */
export function useLabel({ label, purpose, side, part, latinOf }: Question): string {
  const { texts } = useShared()
  if (purpose !== undefined) return wordOf(texts, purpose)
  if (latinOf !== undefined) return fill(texts.form.inLatin, { field: texts.field[label] })
  if (part !== undefined) return (texts.part as Readonly<Record<string, string>>)[part] ?? texts.field[label]
  return side === undefined ? texts.field[label] : texts.photo[side]
}

type Attributes = {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
  'aria-required': boolean
}

type Shell = Pick<FieldProps, 'question' | 'problem'> & { answers?: Answers }

export function Field({
  question,
  problem,
  answers = {},
  children,
}: Shell & { children: (attributes: Attributes) => ReactNode }) {
  const id = useId()
  const { describedBy, notes } = useNotes(useHint(question, answers), problem, id)
  return (
    <div className="field" data-path={question.path}>
      <label htmlFor={id}>
        <Label question={question} />
      </label>
      {children({
        id,
        'aria-invalid': problem !== undefined,
        'aria-describedby': describedBy,
        'aria-required': question.isOptional !== true,
      })}
      {notes}
    </div>
  )
}

/** Several controls for one question. */
export function GroupField({ question, problem, children }: Shell & { children: ReactNode }) {
  const { describedBy, notes } = useNotes(useHint(question, {}), problem, useId())
  return (
    <fieldset className="field" data-path={question.path} aria-describedby={describedBy}>
      <legend>
        <Label question={question} />
      </legend>
      {children}
      {notes}
    </fieldset>
  )
}

function Label({ question }: Pick<Shell, 'question'>) {
  const texts = useTexts()
  const label = useLabel(question)
  return (
    <>
      {label}
      {question.isOptional && <span className="soft"> ({texts.page.optional})</span>}
    </>
  )
}

function useNotes(hint: string | undefined, problem: string | undefined, id: string) {
  const isSummed = useContext(SummedContext)
  const ids = [...(hint ? [`${id}-hint`] : []), ...(problem === undefined ? [] : [`${id}-problem`])]
  return {
    describedBy: ids.length > 0 ? ids.join(' ') : undefined,
    notes: (
      <>
        {hint && (
          <p className="soft" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {problem !== undefined && (
          <p className="problem" id={`${id}-problem`} role={isSummed ? undefined : 'alert'}>
            {problem}
          </p>
        )}
      </>
    ),
  }
}

const hintOf: Partial<Record<Question['kind'], Question['hint']>> = {
  tel: 'phone',
  occupation: 'occupation',
  industry: 'industry',
}

/** The text below a field without a problem. */
function useHint({ kind, hint = hintOf[kind], form, latinOf }: Question, answers: Answers): string | undefined {
  const texts = useTexts()
  const shown = form?.(answers)
  if (shown !== undefined) return fill(/[A-Z]/.test(shown) ? texts.hint.form : texts.hint.digits, { form: shown })
  return hint === undefined ? latinOf && texts.hint.latin : texts.hint[hint]
}

/** The text of a broken rule. */
export function useRuleText() {
  const { texts, business } = useShared()
  return (wrong: Wrong | undefined) =>
    wrong === undefined ? undefined : fill(texts.rule[wrong.rule], { business, ...wrong.values })
}
