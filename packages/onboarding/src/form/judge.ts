// Problems of the form: missing values, and the server's errors, each at its question.

import { isBroken } from '../../../forms/src/reading.ts'
import { charsMax, readLength } from '../../../forms/src/text.ts'
import type { Problem } from '../client.ts'
import type { Texts } from '../texts/en.ts'
import { bodyOf, pathOf } from './body.ts'
import { type Answer, type Answers, isAsked, isGiven, type Question } from './question.ts'
import { type Held, type Plan, partiesOf, type Step } from './steps.ts'

/** The rule that a value breaks, with the placeholders of its sentence. */
export type Wrong = { rule: keyof Texts['rule']; values?: Readonly<Record<string, string>> }

/** Problems by the path of their question. */
export type Problems = Readonly<Record<string, Wrong>>

export function missingIn({ questions }: Step, { answers }: Held): Problems {
  const missing = questions.filter(
    (question) => !question.isOptional && isAsked(question, answers) && !isGiven(answers[question.path]),
  )
  return Object.fromEntries(missing.map((question) => [question.path, { rule: missingRule(question) }]))
}

/** Says what to do with a field that is empty: by default, to fill it in. */
const missingRules: Partial<Record<Question['kind'], keyof Texts['rule']>> = {
  choice: 'missingChoice',
  subdivision: 'missingChoice',
  yesNo: 'missingChoice',
  country: 'country',
  countries: 'country',
  industry: 'notListed',
  occupation: 'notListed',
  date: 'missingDate',
  photo: 'missingPhoto',
  paper: 'missingPaper',
}

const missingRule = ({ kind }: Question): keyof Texts['rule'] => missingRules[kind] ?? 'required'

/**
 * Reads the values of questions as they will be sent.
 * @returns the values that change by reading, and the problems of those that break a rule
 */
export async function readAnswers(
  questions: readonly Question[],
  answers: Answers,
): Promise<{ changed: Answers; problems: Problems }> {
  const read = questions
    .filter((question) => isAsked(question, answers) && isGiven(answers[question.path]))
    .map(async (question) => [question.path, await readingOf(question, answers)] as const)
  const [changed, problems]: [Record<string, Answer>, Record<string, Wrong>] = [{}, {}]
  for (const [path, reading] of await Promise.all(read)) {
    if (reading === undefined) continue
    if (isBroken(reading)) problems[path] = reading
    else if (reading.value !== answers[path]) changed[path] = reading.value
  }
  return { changed, problems }
}

async function readingOf({ path, reads, charsMax: max = charsMax.text }: Question, answers: Answers) {
  const answer = answers[path]
  if (typeof answer !== 'string') return undefined
  const whole = readLength(answer, max)
  return isBroken(whole) ? whole : ((await reads?.(answer, answers)) ?? whole)
}

/** The problems that the server reports, each at its question. `elsewhere`: how many are about no question of the form. */
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
    return question && ([question.path, { rule: ruleOf(problem, question) }] as const)
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
  switch (question.kind) {
    case 'email':
      return code === 'invalid_format' ? 'email' : 'otherEmail'
    case 'tel':
      return 'phone'
    case 'date':
      return 'date'
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
