// The methods of the SDK: from the spelling of each operation, and from what the OpenAPI document says about the operation.

import { isRecord, type JsonRecord } from '../../../scripts/openapi-schemas.ts'
import { catalogue, categoryOf, type ErrorCode } from '../../server/src/platform/errors.ts'
import type { Operation } from '../../server/src/platform/http/operation.ts'
import { errorClasses } from '../src/core/errors.ts'

type QueryMember = { name: string; required: boolean }

type Method = {
  id: string
  /** Such as `virtualAccounts`; empty for a method of the client itself. */
  noun: string
  name: string
  /** The arguments as spelled: `at`, `query`, `body`, or a member of the query or the body. */
  words: readonly string[]
  described: JsonRecord
  /** The codes that do not follow from the kind of operation. */
  errors: readonly ErrorCode[]
  /** The names of the places in the path. */
  places: readonly string[]
  query: readonly QueryMember[]
  isWrite: boolean
  /** The named type of the member `data` of the response; null where it has no name. */
  data: string | null
}

/** Written by hand: files of a submission, and the stream of events. */
const byHand: ReadonlySet<string> = new Set(['kyc', 'events'])

type Declared = Pick<Operation, 'id' | 'sdk' | 'errors'>

export function resourceSource(document: JsonRecord, declared: readonly Declared[]): string {
  const methods = methodsOf(document, declared).filter(({ noun }) => !byHand.has(noun))
  const nouns = [...new Set(methods.map(({ noun }) => noun))].filter((noun) => noun !== '')
  const bodyOf = (noun: string) => methods.filter((method) => method.noun === noun).map((method) => methodText(method))
  const classes = nouns.map((noun) => classText(pascal(noun), [], [], bodyOf(noun)))
  const members = nouns.map((noun) => `  readonly ${noun}: ${pascal(noun)}`)
  const made = nouns.map((noun) => `    this.${noun} = new ${pascal(noun)}(api)`)
  const named = [...new Set(methods.flatMap(({ data }) => data ?? []))].sort()
  return `import type { ${named.join(', ')} } from './types.gen.ts'\n\n${[...classes, classText('Resources', members, made, bodyOf(''))].join('\n')}`
}

function classText(
  name: string,
  members: readonly string[],
  made: readonly string[],
  methods: readonly string[],
): string {
  const fields = ['  readonly #api: Api', ...members]
  const constructed = ['  constructor(api: Api) {', '    this.#api = api', ...made, '  }']
  return `export class ${name} {\n${fields.join('\n')}\n\n${constructed.join('\n')}\n${methods.join('')}}\n`
}

function methodText(method: Method): string {
  const { id, name, isWrite, query } = method
  const parameters = [...method.words.map((word) => parameterOf(method, word)), optionsOf(isWrite)].join(', ')
  const input = inputOf(method)
  const isPaged = query.some((member) => member.name === 'cursor')
  const result = isPaged ? `List<Item<'${id}'>>` : `ApiPromise<${method.data ?? `Data<'${id}'>`}>`
  const text = (doc: string, called: string, returned: string, by: string) =>
    `\n${doc}  ${called}(${parameters}): ${returned} {\n    return this.#api.${by}('${id}', ${input}, options)\n  }\n`
  const plain = text(docOf(method), name, result, isPaged ? 'list' : 'call')
  if (!hasCsv(method)) return plain
  const csvDoc = `  /** Reads the same list as CSV: the pages one after the other are one file, with one line of names. */\n`
  return plain + text(csvDoc, name === 'list' ? 'csv' : `${name}Csv`, 'AsyncGenerator<string, void>', 'csv')
}

const optionsOf = (isWrite: boolean): string => `options?: ${isWrite ? 'WriteOptions' : 'RequestOptions'}`

function parameterOf(method: Method, word: string): string {
  const { id, places, query, words } = method
  if (word === 'at') return `${places[0]}: string`
  if (word === 'body')
    return isBodyOptional(method)
      ? `body?: Body<'${id}'>`
      : `body: Body<'${id}'>${hasRequired(bodySchema(method)) ? '' : ' = {}'}`
  const apart = query.filter(({ name }) => words.includes(name))
  if (word === 'query') {
    const left = apart.map(({ name }) => `'${name}'`).join(' | ')
    const isNeeded = query.some(({ name, required }) => required && !words.includes(name))
    return `query: ${left === '' ? `Query<'${id}'>` : `Omit<Query<'${id}'>, ${left}>`}${isNeeded ? '' : ' = {}'}`
  }
  if (apart.some(({ name }) => name === word)) return `${word}: Query<'${id}'>['${word}']`
  return `${word}: Body<'${id}'>['${word}'] = {}`
}

function inputOf(method: Method): string {
  const { places, query, words } = method
  const apart = words.filter((word) => query.some(({ name }) => name === word))
  const ofBody = words.filter((word) => !['at', 'query', 'body'].includes(word) && !apart.includes(word))
  const whole = words.includes('query')
  const parts = [
    words.includes('at') ? `path: { ${places[0]} }` : '',
    whole && apart.length === 0 ? 'query' : '',
    apart.length > 0 ? `query: { ${[...(whole ? ['...query'] : []), ...apart].join(', ')} }` : '',
    words.includes('body') ? (isBodyOptional(method) ? '...(body && { body })' : 'body') : '',
    ofBody.length > 0 ? `body: { ${ofBody.join(', ')} }` : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

/** The codes that follow from the kind of an operation are those of all: the client documents them once. */
function docOf({ described, errors }: Method): string {
  const byClass = Map.groupBy(errors, (code) => errorClasses[categoryOf(catalogue[code].status)].brand)
  const thrown = [...byClass].map(([name, own]) => `@throws ${name} ${own.map((code) => `\`${code}\``).join(', ')}`)
  const about = described['description']
  const lines = [`${described['summary']}.`, ...(typeof about === 'string' ? [about] : []), ...thrown]
  if (lines.length === 1) return `  /** ${lines[0]} */\n`
  return `  /**\n${lines.map((line) => `   * ${line.replaceAll('\n', '\n   * ')}\n`).join('')}   */\n`
}

function methodsOf(document: JsonRecord, declared: readonly Declared[]): Method[] {
  const byId = new Map(declared.map((operation) => [operation.id, operation]))
  return Object.entries(recordOf(document['paths'])).flatMap(([path, item]) =>
    Object.entries(recordOf(item)).flatMap(([verb, operation]) => {
      const described = recordOf(operation)
      const id = String(described['operationId'])
      const { sdk = '', errors = [] } = byId.get(id) ?? {}
      const [, spelling = '', given = ''] = /^([\w.]+)\((.*)\)$/.exec(sdk) ?? []
      if (spelling === '') return []
      const [name = '', noun = ''] = spelling.split('.').reverse()
      const words = given === '' ? [] : given.split(', ')
      const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place)
      const data = dataName(document, described)
      return {
        id,
        noun,
        name,
        words,
        described,
        errors,
        places,
        query: queryOf(described),
        isWrite: verb !== 'get',
        data,
      }
    }),
  )
}

const queryOf = (described: JsonRecord): QueryMember[] =>
  (Array.isArray(described['parameters']) ? described['parameters'] : [])
    .filter((parameter) => isRecord(parameter) && parameter['in'] === 'query')
    .map((parameter) => ({ name: String(parameter['name']), required: parameter['required'] === true }))

function dataName(document: JsonRecord, described: JsonRecord): string | null {
  const content = recordOf(recordOf(recordOf(described['responses'])['200'])['content'])
  const envelope = nameOf(recordOf(recordOf(content['application/json'])['schema']))
  const schemas = recordOf(recordOf(document['components'])['schemas'])
  return nameOf(recordOf(recordOf(recordOf(schemas[envelope ?? ''])['properties'])['data']))
}

const nameOf = ({ $ref }: JsonRecord): string | null =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : null

const hasCsv = ({ described }: Method): boolean =>
  'text/csv' in recordOf(recordOf(recordOf(described['responses'])['200'])['content'])

const isBodyOptional = ({ described }: Method): boolean => recordOf(described['requestBody'])['required'] === false

const bodySchema = ({ described }: Method): JsonRecord =>
  recordOf(recordOf(recordOf(recordOf(described['requestBody'])['content'])['application/json'])['schema'])

const hasRequired = (schema: JsonRecord): boolean =>
  (Array.isArray(schema['required']) && schema['required'].length > 0) ||
  ['$ref', 'anyOf', 'minProperties'].some((word) => word in schema)

const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {})
const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
