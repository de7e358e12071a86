// Builds the body of a submission from the form values, in the provider's shape, with the place of each value in it.

import { isSameAddress } from './company.ts'
import type { Answer, Answers, Section } from './question.ts'
import { answerOf, isGiven, isPaper } from './question.ts'

type Json = string | number | boolean | Json[] | { [name: string]: Json }
export type Body = { [name: string]: Json }

/** A person or company whose values are at a path: empty, or `people.0.` */
export type Party = { type: 'individual' | 'business'; at: string; sections: readonly Section[]; id?: string }

/** A form value on its way into the body. */
class Leaf {
  readonly path: string
  readonly value: Json
  constructor(path: string, value: Json) {
    this.path = path
    this.value = value
  }
}
type Tree = Leaf | string | Tree[] | { [name: string]: Tree }
type Branch = { [name: string]: Tree }

export type Made = {
  body: Body
  /** Path of the form value by its place in the body, such as `identifying_information[0].number`. */
  places: ReadonlyMap<string, string>
}

/** @param options.withPapers false for a check while one types: pictures are large, and judged where they are taken */
export function bodyOf(
  party: Party,
  answers: Answers,
  { people = [], withPapers = true }: { people?: readonly Party[]; withPapers?: boolean } = {},
): Made {
  const tree = treeOf(party, answers, withPapers)
  if (people.length > 0) tree['associated_persons'] = people.map((person) => treeOf(person, answers, withPapers))
  const places = new Map<string, string>()
  return { body: { type: party.type, ...(jsonOf(tree, '', places) as Body) }, places }
}

/**
 * Finds the form value that a problem of the server is about: at its exact place, else at the place that contains it.
 */
export function pathOf({ places }: Made, param: string, party: Pick<Party, 'at'>): string {
  for (let place = param; place !== ''; place = place.replace(/(^|[.[])[^.[]*$/, '')) {
    const path = places.get(place)
    if (path !== undefined) return place === param ? path : path + param.slice(place.length)
  }
  return party.at + param
}

function treeOf({ type, at, sections, id }: Party, answers: Answers, withPapers: boolean): Branch {
  const given: Branch = {}
  const country = answers[`${at}country`]
  for (const { questions } of sections)
    for (const question of questions) {
      const answer = answerOf(question, answers)
      if (answer === undefined || !isGiven(answer)) continue
      if (isPaper(answer) && !withPapers) continue
      put(
        given,
        question.path.slice(at.length).split('.'),
        new Leaf(question.path, jsonOfAnswer(question.kind, answer)),
      )
    }
  const { tax_id: taxId, photo_id: photoId, documents, business_industry: industry, ...rest } = given
  const identifying = identificationsOf(branchOf(taxId), branchOf(photoId))
  return {
    ...(id !== undefined && { id }),
    ...rest,
    ...addressesOf(rest, type, answers, leafOf(`${at}country`, country)),
    ...(industry !== undefined && { business_industry: [industry] }),
    ...(identifying.length > 0 && { identifying_information: identifying }),
    ...(documents !== undefined && { documents: documentsOf(branchOf(documents)) }),
  }
}

/** Each address with its country, and in Latin letters where a part has others: whole, as the provider takes it. */
function addressesOf(given: Branch, type: Party['type'], answers: Answers, country: Tree): Branch {
  const { residential_address: residence, registered_address: registered, physical_address: physical } = given
  const latin = (name: string) => given[`transliterated_${name}`]
  if (type === 'individual')
    return withLatin('residential_address', residence, { country, latin: latin('residential_address') })
  const { is_same: _, ...operating } = branchOf(physical)
  const own = withLatin('registered_address', registered, { country, latin: latin('registered_address') })
  if (physical === undefined) return own
  if (isSameAddress(answers) && registered !== undefined)
    return { ...own, ...withLatin('physical_address', registered, { country, latin: latin('registered_address') }) }
  return { ...own, ...withLatin('physical_address', operating, { latin: latin('physical_address') }) }
}

function withLatin(name: string, address: Tree | undefined, more: { country?: Tree; latin: Tree | undefined }): Branch {
  if (address === undefined) return {}
  const { country = branchOf(address)['country'], latin } = more
  const whole = { ...branchOf(address), ...(country !== undefined && { country }) }
  return { [name]: whole, ...(latin !== undefined && { [`transliterated_${name}`]: { ...whole, ...branchOf(latin) } }) }
}

/** A passport or an identity card whose number is the tax number is one entry, not two. */
function identificationsOf(taxId: Branch, photoId: Branch): Branch[] {
  const hasTaxId = Object.keys(taxId).length > 0
  const hasPhotoId = Object.keys(photoId).length > 0
  if (hasTaxId && hasPhotoId && same(taxId['type'], photoId['type'])) return [{ ...taxId, ...photoId }]
  return [...(hasTaxId ? [taxId] : []), ...(hasPhotoId ? [photoId] : [])]
}

const same = (one: Tree | undefined, other: Tree | undefined): boolean =>
  one instanceof Leaf && other instanceof Leaf && one.value === other.value

const documentsOf = (documents: Branch): Branch[] =>
  Object.entries(documents).map(([purpose, file]) => ({ purposes: [purpose], file }))

const leafOf = (path: string, answer: Answer | undefined): Leaf =>
  new Leaf(path, typeof answer === 'string' ? answer : '')

const branchOf = (tree: Tree | undefined): Branch =>
  typeof tree === 'object' && !Array.isArray(tree) && !(tree instanceof Leaf) ? tree : {}

function put(branch: Branch, [name = '', ...rest]: string[], leaf: Leaf): void {
  if (rest.length === 0) branch[name] = leaf
  else {
    branch[name] ??= {}
    put(branchOf(branch[name]), rest, leaf)
  }
}

function jsonOfAnswer(kind: string, answer: Answer): Json {
  if (isPaper(answer)) return answer.uri
  if (typeof answer === 'boolean') return answer
  if (typeof answer !== 'string') return answer.filter((each) => each !== '')
  if (kind === 'percent') return Number(answer)
  return answer.trim()
}

function jsonOf(tree: Tree, place: string, places: Map<string, string>): Json {
  if (typeof tree === 'string') return tree
  if (tree instanceof Leaf) {
    places.set(place, tree.path)
    return tree.value
  }
  if (Array.isArray(tree))
    return tree.map((each, index) => {
      // A member that is missing from an entry belongs to the question that the entry begins with.
      const first = Object.values(branchOf(each)).find((member) => member instanceof Leaf)
      const at = `${place}[${index}]`
      if (first instanceof Leaf) places.set(at, first.path.replace(/\.[^.]*$/, ''))
      return jsonOf(each, at, places)
    })
  return Object.fromEntries(
    Object.entries(tree).map(([name, each]) => [name, jsonOf(each, place === '' ? name : `${place}.${name}`, places)]),
  )
}
