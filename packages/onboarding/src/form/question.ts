// What a question is, and what an answer is. A question has a path: the place of its answer among all answers.

import type { Reading } from '../../../forms/src/reading.ts'
import type { Texts } from '../texts/en.ts'

/** A picture or a paper: its name, its kind and its content as a data: URI, in memory alone. */
export type Paper = { name: string; type: string; uri: string }

export type Answer = string | boolean | readonly string[] | Paper
export type Answers = Readonly<Record<string, Answer>>

type Kind =
  | ('text' | 'long' | 'email' | 'tel' | 'url' | 'date' | 'percent')
  | ('country' | 'countries' | 'choice' | 'occupation' | 'subdivision')
  | ('yesNo' | 'check' | 'photo' | 'paper' | 'number')

export type Question = {
  path: string
  label: keyof Texts['field']
  kind: Kind
  /** Words of the provider. */
  choices?: readonly string[]
  /** The less usual choices, which are shown when somebody asks for another. */
  otherChoices?: readonly string[]
  /** What choices are called in the country, by their word. */
  names?: Readonly<Record<string, string>>
  /** A closed list whose words are not of the provider. */
  options?: readonly { value: string; label: string }[]
  /** What the part of an address is called in its country. */
  part?: string
  /** Reads what was typed: as it is sent, or the rule that it breaks. */
  reads?: (text: string, answers: Answers) => Reading | Promise<Reading>
  /** The path of the text whose form in Latin letters this is. */
  latinOf?: string
  /** The answer, where it follows from others and is not asked for. */
  derived?: (answers: Answers) => Answer | undefined
  /** How a number is written, to be shown below its field. */
  form?: (answers: Answers) => string | undefined
  isOptional?: boolean
  autoComplete?: string
  /** Of a photo: the front or the back. */
  side?: 'front' | 'backSide'
  /** What the paper is to prove, in the provider's word. */
  purpose?: string
  hint?: keyof Texts['hint']
  /** Whether it is asked, by the other answers. */
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

/** The answer that was given or that follows from others; undefined also where the question does not apply. */
export const answerOf = (question: Question, answers: Answers): Answer | undefined =>
  applies(question, answers) ? (question.derived?.(answers) ?? answers[question.path]) : undefined

export const isPaper = (answer: Answer | undefined): answer is Paper => typeof answer === 'object' && 'uri' in answer

/** A list of nothing but empty places is no answer, and neither is a text of spaces. */
export function isGiven(answer: Answer | undefined): boolean {
  if (typeof answer === 'string') return answer.trim() !== ''
  if (Array.isArray(answer)) return answer.some((each) => each !== '')
  return answer !== undefined
}
