// An entry of a long list, found by words of it. The list is loaded when it is asked for.

import { useEffect, useId, useState } from 'react'
import type { Answer, Question } from '../form/question.ts'
import { useShared, useTexts } from './context.ts'
import { Field, type FieldProps } from './field.tsx'

type Option = { value: string; label: string }

/** Entries loaded on this page, so that the review can name the chosen one. */
const known = new Map<string, string>()

export const isSearched = ({ kind }: Question): boolean => kind === 'occupation' || kind === 'industry'

/** @returns undefined for a value outside a list */
export const listedName = (question: Question, answer: Answer | undefined): string | undefined =>
  isSearched(question) && typeof answer === 'string' ? known.get(answer) : undefined

/** @returns null until the list has come; empty where it cannot be loaded */
function useOptions({ kind }: Question): readonly Option[] | null {
  const { client } = useShared()
  const [options, setOptions] = useState<readonly Option[] | null>(null)
  useEffect(() => {
    const show = (found: readonly Option[]): void => {
      for (const { value, label } of found) known.set(value, label)
      setOptions(found)
    }
    const loaded =
      kind === 'occupation'
        ? client?.occupations().then((found) => found.map(({ code, name }) => ({ value: code, label: name })))
        : import('./industries.ts').then(({ industries }) => industries)
    loaded?.then(show, () => show([]))
  }, [client, kind])
  return options
}

/** Without its list the code itself can be written. */
export function SearchField({ question, answers, problem, onAnswer, onLeave }: FieldProps) {
  const texts = useTexts()
  const options = useOptions(question)
  const listId = useId()
  const answer = String(answers[question.path] ?? '')
  const [text, setText] = useState<string | null>(null)
  const [hasLeft, setLeft] = useState(false)
  const shown = text ?? known.get(answer) ?? answer
  const isUnlisted = hasLeft && options !== null && shown !== '' && answer === ''
  const choose = (typed: string): void => {
    setText(typed)
    const words = typed.trim().toLowerCase()
    const found = options?.find(({ value, label }) => value === words || label.toLowerCase() === words)
    onAnswer(options?.length === 0 ? typed : (found?.value ?? ''))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for text that was typed before the list has come
  useEffect(() => {
    if (options !== null && text !== null) choose(text)
  }, [options])
  return (
    <Field question={question} problem={isUnlisted ? texts.rule.notListed : problem}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            type="text"
            list={listId}
            autoComplete="off"
            value={shown}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
            onBlur={() => {
              setLeft(true)
              onLeave()
            }}
          />
          <datalist id={listId}>
            {options?.map(({ value, label }) => (
              <option key={value} value={label} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
