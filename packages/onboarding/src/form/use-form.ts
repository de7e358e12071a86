// The form: at which step it is, what was answered, what is wrong with it. Everything is in memory alone.

import { useEffect, useRef, useState } from 'react'
import { type Client, Refused } from '../client.ts'
import type { Trail } from '../trail.ts'
import { bodyOf } from './body.ts'
import { isSameAddress } from './company.ts'
import { missingIn, type Problems, problemsAt, readAnswers, stepWith } from './judge.ts'
import { suggestLatinForms } from './latin.ts'
import { type Answer, type Answers, isGiven } from './question.ts'
import { atOf, type Held, operatingAt, type Plan, partiesOf, type Step, stepsOf } from './steps.ts'
import { useStep } from './use-step.ts'

export type FormProps = {
  client: Client
  trail: Trail
  plan: Plan
  held: Held
  onHeld: (change: (held: Held) => Held) => void
  /** The agreement to the terms, where it was accepted on this page. */
  agreement: string | null
  onSent: () => Promise<void>
  /** The agreement was not taken: the terms have to be accepted once more. */
  onTermsLost: () => Promise<void>
}

/** Why a request failed, to be told above the button. */
export type Failure = { text: 'offline' | 'failed' | 'refused' | 'tooSlow'; requestId: string | null }

export type Form = ReturnType<typeof useForm>

export function useForm(props: FormProps) {
  const { client, held, onHeld, trail } = props
  const [knowsCountry] = useState(held.requirements[''] !== undefined)
  const plan = knowsCountry ? withoutCountry(props.plan) : props.plan
  const steps = stepsOf(plan, held)
  const { step, goTo } = useStep(steps, trail)
  const { problems, show, replace, add, clear } = useProblems()
  const { isBusy, failure, busily } = useRequest()
  const [sentPart, setSentPart] = useState(0)
  const checking = useRef<AbortController | null>(null)
  /** The fields that are checked: left, and not changed since. */
  const left = useRef(new Set<string>())
  const readiness = useReady({ ...props, plan })

  const answer = (path: string, value: Answer | undefined): void => {
    left.current.delete(path)
    onHeld((known) => withAnswer(step.country ? withoutRequirements(known, step.country.at) : known, path, value))
    clear(path)
  }
  /** Checks the fields that were left, if they have a value, and shows each as it is sent. */
  const leave = async (path: string): Promise<void> => {
    if (!isGiven(held.answers[path])) return
    left.current.add(path)
    checking.current?.abort()
    checking.current = new AbortController()
    const { signal } = checking.current
    const questions = step.questions.filter((question) => left.current.has(question.path))
    const { changed, problems: broken } = await readAnswers(questions, held.answers)
    const suggested = await suggestLatinForms(step.questions, { ...held.answers, ...changed })
    if (signal.aborted) return
    const answers = { ...held.answers, ...changed, ...suggested }
    onHeld((known) => ({ ...known, answers: { ...known.answers, ...changed, ...suggested } }))
    replace([...left.current], broken)
    if (step.country !== null) return
    const found = await judged(props, { steps, answers }, signal).catch(() => null)
    if (found !== null && !signal.aborted) replace([...left.current], { ...found, ...broken })
  }
  const next = (): Promise<void> =>
    busily(async () => {
      checking.current?.abort()
      const { changed, problems: broken } = await readAnswers(step.questions, held.answers)
      if (show({ ...missingIn(step, held), ...broken }, step)) return
      const read: Held = { ...held, answers: { ...held.answers, ...changed } }
      const after = step.country ? await withRequirements({ ...props, held: read }, step.country) : read
      onHeld((known) => ({ ...known, answers: after.answers, requirements: after.requirements }))
      if (step.country === null && show(await judged(props, { steps, answers: after.answers }), step)) return
      goTo(following(stepsOf(plan, after), step), step)
    })
  const send = (): Promise<void> =>
    busily(async () => {
      trail.hold(true)
      setSentPart(0)
      const found = await sent(props, steps, setSentPart).finally(() => trail.hold(false))
      if (found === null) return
      add(found)
      goTo(stepWith(steps, found)?.id ?? step.id)
    })
  const shown = { steps, step, held, problems, failure, isBusy, readiness, sentPart }
  const { back, canGoBack } = trail
  return { client, ...shown, answer, leave, next, back, canGoBack, goTo, send, ...peopleOf(props, goTo) }
}

function withAnswer(held: Held, path: string, value: Answer | undefined): Held {
  const { [path]: _, ...others } = held.answers
  return { ...held, answers: value === undefined ? others : { ...others, [path]: value } }
}

/** Another country has other questions: those of the one before are not reached by the browser's Forward. */
function withoutRequirements(held: Held, at: string): Held {
  const { [at]: _, ...others } = held.requirements
  return { ...held, requirements: others }
}

/** What is wrong with the answers, as far as it was found out. */
function useProblems() {
  const [problems, setProblems] = useState<Problems>({})
  const clear = (...paths: string[]): void =>
    setProblems((known) => Object.fromEntries(Object.entries(known).filter(([path]) => !paths.includes(path))))
  const add = (found: Problems): void => setProblems((known) => ({ ...known, ...found }))
  /** @returns whether something was found about these questions */
  const replace = (paths: readonly string[], found: Problems): boolean => {
    const here = Object.entries(found).filter(([path]) => paths.includes(path))
    clear(...paths)
    add(Object.fromEntries(here))
    return here.length > 0
  }
  return {
    ...{ problems, add, clear, replace },
    show: (found: Problems, { questions }: Step): boolean =>
      replace(
        questions.map(({ path }) => path),
        found,
      ),
  }
}

/** Runs what asks the server, one at a time, and tells why it failed. */
function useRequest() {
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const busily = async (run: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setFailure(null)
    await run().catch((error: unknown) => setFailure(failureOf(error)))
    setBusy(false)
  }
  return { failure, isBusy, busily }
}

/**
 * Photos and papers are asked for alike in every country: where nothing else is open, nobody is asked for the country.
 * @returns whether the questions are known, or why they could not be read
 */
function useReady({ client, plan, held, onHeld }: FormProps): boolean | Failure {
  const [failure, setFailure] = useState<Failure | null>(null)
  const isMissing = plan.correction?.needsCountry === false && held.requirements[''] === undefined
  useEffect(() => {
    if (!isMissing) return
    client.requirements(anyCountry, plan.type).then(
      (found) => onHeld((known) => ({ ...known, requirements: { ...known.requirements, '': found } })),
      (error: unknown) => setFailure(failureOf(error)),
    )
  }, [client, isMissing, onHeld, plan.type])
  return isMissing ? (failure ?? false) : true
}

const anyCountry = 'USA'

/** A correction does not ask for a country that was told before, on this page. */
const withoutCountry = ({ type, correction }: Plan): Plan => ({
  type,
  correction: correction && { ...correction, needsCountry: false },
})

function peopleOf({ held, onHeld }: FormProps, goTo: (id: string) => void) {
  return {
    addPerson(): void {
      const name = String(Math.max(-1, ...held.people.map(Number)) + 1)
      onHeld((known) => ({ ...known, people: [...known.people, name] }))
      goTo(`${atOf(name)}role`)
    },
    removePerson(name: string): void {
      const isOthers = ([path]: [string, unknown]) => !path.startsWith(atOf(name))
      onHeld(({ answers, people, requirements }) => ({
        answers: Object.fromEntries(Object.entries(answers).filter(isOthers)),
        people: people.filter((each) => each !== name),
        requirements: Object.fromEntries(Object.entries(requirements).filter(isOthers)),
      }))
    },
  }
}

/** After the last question about somebody of a company comes the list of its people. */
function following(steps: readonly Step[], step: Step): string {
  const next = steps[steps.findIndex(({ id }) => id === step.id) + 1]
  const isLastOfPerson = step.at !== '' && next?.at !== step.at
  const list = isLastOfPerson ? steps.find(({ id }) => id === 'people') : undefined
  return (list ?? next)?.id ?? 'review'
}

async function withRequirements(
  { client, plan, held }: FormProps,
  { path, at }: NonNullable<Step['country']>,
): Promise<Held> {
  const country = held.answers[path]
  // A company that operates from its registered address has no second country.
  if (at === operatingAt && (isSameAddress(held.answers) || country === undefined)) return held
  const requirements = await client.requirements(String(country), partyAt(plan, at))
  // Most have a document of the country they live in.
  const document = at === operatingAt ? {} : { [`${at}photo_id.issuing_country`]: String(country) }
  return {
    ...held,
    answers: { ...document, ...held.answers },
    requirements: { ...held.requirements, [at]: requirements },
  }
}

const partyAt = (plan: Plan, at: string): Plan['type'] => (at.startsWith('people.') ? 'individual' : plan.type)

/** Has what was answered so far judged by the rules of the server, but for pictures, which are judged where they are taken. */
async function judged(
  { client, plan, held }: FormProps,
  { steps, answers }: { steps: readonly Step[]; answers: Answers },
  signal?: AbortSignal,
): Promise<Problems> {
  const read = { ...held, answers }
  const { party, people } = partiesOf(plan, read)
  const { body } = bodyOf(party, answers, { people, withPapers: false })
  const { problems: details } = await client.check(body, signal)
  return problemsAt(plan, read, { steps, details }).problems
}

/** @returns null when it was sent; else what is wrong with it */
async function sent(
  { client, plan, held, agreement, onSent, onTermsLost }: FormProps,
  steps: readonly Step[],
  onPart: (part: number) => void,
): Promise<Problems | null> {
  const { party, people } = partiesOf(plan, held)
  const body = {
    ...bodyOf(party, held.answers, { people }).body,
    ...(agreement !== null && { signed_agreement_id: agreement }),
  }
  try {
    await client.submit(body, onPart)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.code === 'tos_not_accepted' || error.code === 'signed_agreement_invalid') {
      await onTermsLost()
      return null
    }
    // The state has changed meanwhile, or an earlier try has arrived: the page shows it.
    if (error.code !== 'kyc_not_resubmittable') {
      const { problems } = problemsAt(plan, held, { steps, details: error.details })
      if (Object.keys(problems).length === 0) throw error
      return problems
    }
  }
  await onSent()
  return null
}

const failures: Readonly<Record<string, Failure['text']>> = {
  offline: 'offline',
  provider_rejected: 'refused',
  too_slow: 'tooSlow',
}

function failureOf(error: unknown): Failure {
  const { code, requestId } = error instanceof Refused ? error : { code: 'failed', requestId: null }
  return { text: failures[code] ?? 'failed', requestId }
}
