// Suggestions for the Latin form of a name or an address: what its letters make, until somebody writes another.

import { suggestLatin } from '../../../forms/src/names.ts'
import { type Answers, isAsked, isGiven, type Question } from './question.ts'

/** @returns a suggestion for each empty question of a Latin form */
export async function suggestLatinForms(questions: readonly Question[], answers: Answers): Promise<Answers> {
  const open = questions.filter((question) => isAsked(question, answers) && !isGiven(answers[question.path]))
  const found = await Promise.all(
    open.map(async ({ path, latinOf }) => {
      const text = latinOf === undefined ? undefined : answers[latinOf]
      return [path, typeof text === 'string' ? await suggestLatin(text).catch(() => null) : null] as const
    }),
  )
  return Object.fromEntries(found.filter((each): each is [string, string] => each[1] !== null))
}
