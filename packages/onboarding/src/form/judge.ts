// What is wrong with the answers: what is missing here, and what the server finds, at the question that it is about.

import type { Problem } from '../client.ts'
import type { Texts } from '../texts/en.ts'
import { bodyOf, pathOf } from './body.ts'
import { isAsked, isGiven, type Question } from './question.ts'
import { type Held, type Plan, partiesOf, type Step } from './steps.ts'

/** The rule that an answer breaks, by the path of its question. */
export type Problems = Readonly<Record<string, keyof Texts['rule']>>

export function missingIn({ questions }: Step, { answers }: Held): Problems {
  const missing = questions.filter(
    (question) => !question.isOptional && isAsked(question, answers) && !isGiven(answers[question.path]),
  )
  return Object.fromEntries(missing.map((question) => [question.path, missingRule(question)]))
}

const missingRule = ({ kind }: Question): keyof Texts['rule'] =>
  kind === 'photo' ? 'missingPhoto' : kind === 'paper' ? 'missingPaper' : 'required'

/** The problems that the server tells of, each at its question. `elsewhere`: how many are about no question of the form. */
export function problemsAt(
  plan: Plan,
  held: Held,
  { steps, details }: { steps: readonly Step[]; details: readonly Problem[] },
): { problems: Problems; elsewhere: number } {
  const { party, people } = partiesOf(plan, held)
  const made = bodyOf(party, held.answers, { people })
  const questions = new Map(steps.flatMap((step) => step.questions).map((question) => [question.path, question]))
  const found = details.map((problem) => {
    const question = questions.get(pathOf(made, problem.param, party))
    return question && ([question.path, ruleOf(problem, question)] as const)
  })
  return {
    problems: Object.fromEntries(found.filter((each) => each !== undefined)),
    elsewhere: found.filter((each) => each === undefined).length,
  }
}

/** The first step that holds a problem. */
export const stepWith = (steps: readonly Step[], problems: Problems): Step | undefined =>
  steps.find(({ questions }) => questions.some(({ path }) => problems[path] !== undefined))

function ruleOf({ code }: Problem, question: Question): keyof Texts['rule'] {
  if (code === 'missing_field') return missingRule(question)
  if (code === 'invalid_length') return 'length'
  switch (question.kind) {
    case 'email':
      return code === 'invalid_format' ? 'email' : 'otherEmail'
    case 'tel':
      return 'phone'
    case 'date':
      return code === 'invalid_value' ? 'adult' : 'date'
    case 'country':
    case 'countries':
      return 'country'
    case 'subdivision':
      return 'subdivision'
    case 'percent':
      return 'percent'
    default:
      return 'invalid'
  }
}
