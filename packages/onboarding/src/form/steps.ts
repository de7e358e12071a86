// The steps of the form, one screen each. Steps that depend on a country appear once its requirements are loaded.

import type { KycRequirements } from '@causeway/sdk'
import type { Texts } from '../texts/en.ts'
import type { Party } from './body.ts'
import { companySections, operatingCountry, papersOf } from './company.ts'
import { type AskedPerson, type Correction, correctedSections } from './correction.ts'
import { personSections, roleSection } from './person.ts'
import { type Answers, isAsked, type Question, type Section } from './question.ts'

/** `at`: path of the party's values. `country`: the requirements at `at` follow from the value at `path`. */
export type Step = {
  id: string
  kind: 'questions' | 'people' | 'review'
  heading: keyof Texts['section']
  at: string
  questions: readonly Question[]
  country: { path: string; at: string } | null
}

export type Plan = { type: 'individual' | 'business'; correction: Correction | null }

/** The state of a form, only in memory. `people` names the persons of a company: their values are at `people.NAME.`. */
export type Held = {
  answers: Answers
  people: readonly string[]
  requirements: Readonly<Record<string, KycRequirements>>
}

export const nothingHeld: Held = { answers: {}, people: [], requirements: {} }

export const atOf = (person: string): string => `people.${person}.`

export function stepsOf(plan: Plan, held: Held): Step[] {
  const people = peopleOf(plan, held)
  return [
    ...ownSteps(plan, held),
    ...people.flatMap((person) => personSteps(plan, held, person)),
    ...(addsPeople(plan) ? [step('people', 'people')] : []),
    step('review', 'review'),
  ]
}

/** Whether people can be added: to a company that is sent as a whole, or lacks somebody. */
const addsPeople = ({ type, correction }: Plan): boolean => type === 'business' && (correction?.addsPeople ?? true)

/** The parties of the body: the person or company, and its people. */
export function partiesOf(plan: Plan, held: Held): { party: Party; people: Party[] } {
  const own = held.requirements['']
  const party: Party = { type: plan.type, at: '', sections: own ? ownSections(plan, own, held) : [] }
  const people = peopleOf(plan, held).map((name): Party => {
    const asked = askedPerson(plan, name)
    const requirements = held.requirements[atOf(name)]
    const sections = [roleSection(atOf(name)), ...(requirements ? sectionsOfPerson(requirements, name, asked) : [])]
    return { type: 'individual', at: atOf(name), sections, ...(asked && { id: asked.id }) }
  })
  return { party, people }
}

/** Those who are asked for by name come first. */
const peopleOf = ({ correction }: Plan, { people }: Held): string[] => [
  ...(correction?.people.map((_, index) => `asked${index}`) ?? []),
  ...people,
]

export function askedPerson({ correction }: Plan, name: string): AskedPerson | undefined {
  const [, index] = /^asked(\d+)$/.exec(name) ?? []
  return index === undefined ? undefined : correction?.people[Number(index)]
}

/** Path of the requirements of the country in which a company operates. */
export const operatingAt = 'physical_address.'

const ownSections = ({ type, correction }: Plan, requirements: KycRequirements, held: Held): Section[] => {
  const operating = held.requirements[operatingAt]
  if (correction) return correctedSections(requirements, correction, operating)
  return type === 'individual' ? personSections(requirements) : companySections(requirements, { operating })
}

function ownSteps(plan: Plan, held: Held): Step[] {
  const own = held.requirements['']
  const isAsked = plan.correction?.needsCountry ?? true
  const country = isAsked ? [countryStep('', plan.type === 'individual' ? 'residence' : 'incorporation')] : []
  const sections = own ? ownSections(plan, own, held) : []
  return [...country, ...sections.filter(isAnyAsked(held)).map((section) => stepOf(section, ''))]
}

/** A step without a question is left out: one follows from the others. */
const isAnyAsked =
  ({ answers }: Held) =>
  ({ questions }: Section): boolean =>
    questions.some((question) => isAsked(question, answers))

function personSteps(plan: Plan, { requirements }: Held, name: string): Step[] {
  const at = atOf(name)
  const own = requirements[at]
  const sections = own ? sectionsOfPerson(own, name, askedPerson(plan, name)) : []
  return [
    stepOf(roleSection(at), at),
    countryStep(at, 'residencePerson'),
    ...sections.map((section) => stepOf(section, at)),
  ]
}

function sectionsOfPerson(requirements: KycRequirements, name: string, asked: AskedPerson | undefined): Section[] {
  const at = atOf(name)
  // Questions about the customer's use of money do not apply to the people of a company.
  const sections = personSections(requirements, at).filter(({ name }) => name !== 'more')
  const papers: Section = { name: 'documents', members: ['documents'], questions: papersOf(asked?.purposes ?? [], at) }
  return asked && papers.questions.length > 0 ? [...sections, papers] : sections
}

const step = (kind: 'people' | 'review', heading: Step['heading']): Step => ({
  id: kind,
  kind,
  heading,
  at: '',
  questions: [],
  country: null,
})

/** Somebody else may be typing. */
const headingsOfPeople: Partial<Record<Section['name'], Step['heading']>> = {
  about: 'aboutPerson',
  contact: 'contactPerson',
  address: 'addressPerson',
  taxId: 'taxIdPerson',
  photoId: 'photoIdPerson',
}

const stepOf = ({ name, questions }: Section, at: string): Step => ({
  id: at + name,
  kind: 'questions',
  heading: at === '' ? name : (headingsOfPeople[name] ?? name),
  at,
  questions,
  country: name === 'operating' ? { path: operatingCountry, at: operatingAt } : null,
})

const countryStep = (at: string, label: 'residence' | 'residencePerson' | 'incorporation'): Step => ({
  id: `${at}country`,
  kind: 'questions',
  heading: label,
  at,
  questions: [{ path: `${at}country`, label, kind: 'country', autoComplete: 'country' }],
  country: { path: `${at}country`, at },
})
