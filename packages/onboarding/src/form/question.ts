// A question of the form, and its value. A question has a path: the place of its value among all values.

import type { Reading } from '../../../forms/src/reading.ts'
import type { Texts } from '../texts/en.ts'

/** A picture or a paper: its name, its kind and its content as a data: URI, in memory alone. */
export type Paper = { name: string; type: string; uri: string }

export type Answer = string | boolean | readonly string[] | Paper
export type Answers = Readonly<Record<string, Answer>>

type Kind =
  | ('text' | 'long' | 'email' | 'tel' | 'url' | 'date' | 'percent')
  | ('country' | 'countries' | 'choice' | 'occupation' | 'industry' | 'subdivision')
  | ('yesNo' | 'check' | 'photo' | 'paper' | 'number')

export type Question = {
  path: string
  label: keyof Texts['field']
  kind: Kind
  /** Words of the provider. */
  choices?: readonly string[]
  /** The less usual choices, which are shown when somebody asks for another. */
  otherChoices?: readonly string[]
  /** Local names of choices, by their word. */
  names?: Readonly<Record<string, string>>
  /** A closed list whose words are not of the provider. */
  options?: readonly { value: string; label: string }[]
  /** The local name of a part of an address. */
  part?: string
  /** Reads what was typed: as it is sent, or the rule that it breaks. */
  reads?: (text: string, answers: Answers) => Reading | Promise<Reading>
  /** The limit of a text, where it is not the usual one. */
  charsMax?: number
  /** The path of the text whose form in Latin letters this is. */
  latinOf?: string
  /** The value, if it follows from others and is not asked. */
  derived?: (answers: Answers) => Answer | undefined
  /** How a number is written, to be shown below its field. */
  form?: (answers: Answers) => string | undefined
  isOptional?: boolean
  autoComplete?: string
  /** For a photo: the front or the back. */
  side?: 'front' | 'backSide'
  /** The purpose of the document, in the provider's word. */
  purpose?: string
  hint?: keyof Texts['hint']
  /** Whether the question is asked, depending on other values. */
  when?: (answers: Answers) => boolean
}

export type Section = {
  /** Names the section among those of one person or company. */
  name: keyof Texts['section']
  /** The members of the body that it fills: a correction names them. */
  members: readonly string[]
  questions: readonly Question[]
}

const applies = (question: Question, answers: Answers): boolean => question.when?.(answers) ?? true

export const isAsked = (question: Question, answers: Answers): boolean =>
  applies(question, answers) && question.derived?.(answers) === undefined

/** The entered or derived value; also undefined if the question does not apply. */
export const answerOf = (question: Question, answers: Answers): Answer | undefined =>
  applies(question, answers) ? (question.derived?.(answers) ?? answers[question.path]) : undefined

export const isPaper = (answer: Answer | undefined): answer is Paper => typeof answer === 'object' && 'uri' in answer

/** A list of empty places, or a text of spaces, does not count as a value. */
export function isGiven(answer: Answer | undefined): boolean {
  if (typeof answer === 'string') return answer.trim() !== ''
  if (Array.isArray(answer)) return answer.some((each) => each !== '')
  return answer !== undefined
}
