// The form: its current step, values and problems. Everything is only in memory.

import { useEffect, useRef, useState } from 'react'
import { missingIn, type Problems, readAnswers, stepWith } from './judge.ts'
import { suggestLatinForms } from './latin.ts'
import { type Answer, type Answers, isGiven } from './question.ts'
import { type Failure, type FormProps, failureOf, judged, sent, withRequirements } from './requests.ts'
import { atOf, type Held, type Plan, type Step, stepsOf } from './steps.ts'
import { useStep } from './use-step.ts'

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
    const { changed, problems: broken } = await readLeft(step, held.answers, left.current)
    if (signal.aborted) return
    const answers = { ...held.answers, ...changed }
    onHeld((known) => ({ ...known, answers: { ...known.answers, ...changed } }))
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
      props.onSending(true)
      setSentPart(0)
      const found = await sent(props, steps, setSentPart).finally(() => props.onSending(false))
      if (found === null) return
      add(found)
      goTo(stepWith(steps, found)?.id ?? step.id)
    })
  const shown = { steps, step, held, problems, failure, isBusy, readiness, sentPart }
  const { back, canGoBack } = trail
  return { client, ...shown, answer, leave, next, back, canGoBack, goTo, send, ...peopleOf(props, goTo) }
}

/** Reads the fields that were left, and suggests the Latin forms that they need. */
async function readLeft({ questions }: Step, answers: Answers, left: ReadonlySet<string>) {
  const read = await readAnswers(
    questions.filter(({ path }) => left.has(path)),
    answers,
  )
  const suggested = await suggestLatinForms(questions, { ...answers, ...read.changed })
  return { ...read, changed: { ...read.changed, ...suggested } }
}

function withAnswer(held: Held, path: string, value: Answer | undefined): Held {
  const { [path]: _, ...others } = held.answers
  return { ...held, answers: value === undefined ? others : { ...others, [path]: value } }
}

/**
 * Another country has other questions: those of the one before are not reached by the browser's Forward, and what followed from
 * it is chosen again.
 */
function withoutRequirements(held: Held, at: string): Held {
  const { [at]: _, ...requirements } = held.requirements
  const isKept = ([path]: [string, unknown]) =>
    !path.startsWith(`${at}tax_id.`) && path !== `${at}photo_id.issuing_country`
  return { ...held, requirements, answers: Object.fromEntries(Object.entries(held.answers).filter(isKept)) }
}

/** The known problems of the values. */
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

/** A correction does not ask for a country that was already entered on this page. */
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
