// The parts of the way that the end-user sees from the first screen on. Their number does not depend on the country, or on how many
// people a company names.

import type { Held, Plan, Step } from '../form/steps.ts'
import type { Texts } from '../texts/en.ts'

export type Stage = keyof Texts['stage']

/** `part`: how much of the stage is behind the end-user, 0 to 1. */
export type Progress = { stages: readonly Stage[]; now: number; part: number }

/** @param hasTerms whether the terms have to be accepted on this page */
export function stagesOf({ type, correction }: Plan, hasTerms: boolean): Stage[] {
  const terms: Stage[] = hasTerms ? ['terms'] : []
  if (type === 'individual') return [...terms, ...stagesOfPerson(correction !== null), 'review']
  const asksPeople = correction === null || correction.addsPeople || correction.people.length > 0
  const own: Stage[] = correction === null ? ['company', 'papers'] : ['correction']
  return [...terms, ...own, ...(asksPeople ? (['people'] as const) : []), 'review']
}

const stagesOfPerson = (isCorrection: boolean): Stage[] => (isCorrection ? ['correction'] : ['details', 'identity'])

const identity: ReadonlySet<string> = new Set(['taxId', 'photoId', 'more', 'documents'])
const papers: ReadonlySet<string> = new Set(['documents', 'companyFunds'])

function stageOf({ type, correction }: Plan, { kind, at, heading }: Step): Stage {
  if (kind === 'review') return 'review'
  if (kind === 'people' || at !== '') return 'people'
  if (correction !== null) return 'correction'
  if (type === 'individual') return identity.has(heading) ? 'identity' : 'details'
  return papers.has(heading) ? 'papers' : 'company'
}

/** Steps of a person of a company, before its country is known. */
const stepsOfPersonMin = 7

/** @param steps those of the form; the one that is shown is `step` */
export function progressAt(
  stages: readonly Stage[],
  { plan, held, steps, step }: { plan: Plan; held: Held; steps: readonly Step[]; step: Step },
): Progress {
  const stage = stageOf(plan, step)
  const now = stages.indexOf(stage)
  if (step.kind === 'people') return { stages, now, part: held.people.length > 0 ? 1 : 0 }
  const beside = steps.filter((each) => each.at === step.at && stageOf(plan, each) === stage)
  const count = step.at === '' ? beside.length : Math.max(beside.length, stepsOfPersonMin)
  return { stages, now, part: beside.indexOf(step) / count }
}
