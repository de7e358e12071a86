// The words in which the body of a KYC submission is described, each a JSON Schema with its rule in words, and the validator
// that judges by them. Properties that no schema names pass through untouched.

import { Ajv, type ErrorObject } from 'ajv'
import { ruleOf, validatorOptions } from '../../../platform/http/schema/validation.ts'
import { isCountry } from '../../../platform/values/country-codes.ts'
import type { JsonObject } from '../../../platform/values/json.ts'

/** `message` names the field and the rule, never the value: the values are KYC data. */
export type Problem = {
  param: string
  code: 'missing_field' | 'unknown_field' | 'invalid_type' | 'invalid_value' | 'invalid_format' | 'invalid_length'
  message: string
}

export type Violation = readonly [code: Problem['code'], rule: string]

/** Reads a text: the text to send on, or the rule that it breaks. */
export type Reader = (value: string, nowMs: number) => string | Violation

/** JSON Schema with the rule in words, and with two keywords of ours: `known` and `reads`. */
export type FormSchema = {
  type: 'object' | 'array' | 'string' | 'integer' | 'boolean' | readonly ['integer', 'string']
  description: string
  properties?: Fields
  required?: readonly string[]
  items?: FormSchema
  enum?: readonly string[]
  /** The words that we know of a list that grows. */
  known?: readonly string[]
  reads?: Reader
  [keyword: string]: unknown
}

export type Fields = Readonly<Record<string, FormSchema>>

/** More problems than this help nobody, and a hostile body could ask for thousands. */
export const problemsMax = 200

export const readText = (description: string, reads: Reader, words: object = {}): FormSchema => ({
  type: 'string',
  description,
  reads,
  ...words,
})

export function text(charsMin: number, charsMax: number): FormSchema {
  const read: Reader = (value) => {
    if (value.trim().length < charsMin) return ['invalid_length', `must have at least ${charsMin} characters`]
    return /[^\P{Cc}\r\n\t]/u.test(value) ? ['invalid_format', 'must not contain control characters'] : value
  }
  return readText(`text of ${charsMin} to ${charsMax} characters`, read, { maxLength: charsMax })
}

const patterned = (pattern: string, form: string, words: object = {}): FormSchema => ({
  type: 'string',
  pattern,
  description: form,
  errorText: `must be ${form}`,
  ...words,
})

export function oneOf(allowed: readonly string[]): FormSchema {
  return { type: 'string', enum: allowed, description: 'one of the allowed words' }
}

/** A word of a list that grows: a new word is the provider's to judge. */
export function wordOf(known: readonly string[]): FormSchema {
  const form = 'a word of small letters, digits and _, at most 64 characters'
  const description = `${form}, such as ${known.slice(0, 9).join(', ')}`
  return patterned('^[a-z][a-z0-9_]{0,63}$', form, { description, known })
}

const countryForm = 'a country code of three letters (ISO 3166-1 alpha-3)'

export const country = readText(`${countryForm}, in any case`, (value) => {
  // Slice first: some letters change their number when they change case.
  const code = value.slice(0, 4).toUpperCase()
  return isCountry(code) ? code : ['invalid_value', `must be ${countryForm}`]
})

const subdivisionForm = '1 to 3 letters or digits: the ISO 3166-2 code without the country prefix'

export const subdivision = readText(subdivisionForm, (value) =>
  /^[A-Za-z0-9]{1,3}$/.test(value) ? value.toUpperCase() : ['invalid_format', `must be ${subdivisionForm}`],
)

export const email = patterned('^[^\\s@]+@[^\\s@]+$', 'an e-mail address of at most 1024 characters', {
  maxLength: 1024,
})

export const phone = patterned('^\\+[1-9][0-9]{6,14}$', 'a number in international form, such as +12223334444')

const dateTimeForm = 'a date and time in ISO 8601 with a time zone'
const readDateTime: Reader = (value) =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/.test(value) &&
  isRealDate(value.slice(0, 10))
    ? value
    : ['invalid_format', `must be ${dateTimeForm}`]

export const dateTime = readText(dateTimeForm, readDateTime)

const dateForm = 'a real date written yyyy-mm-dd'

export const date = readText(dateForm, (value) =>
  isRealDate(value) ? value : ['invalid_format', `must be ${dateForm}`],
)

/** @param yearsMin 0 for any date in the past */
export function birthDate(yearsMin: number): FormSchema {
  const age = yearsMin > 0 ? `at least ${yearsMin} years ago` : 'past'
  return readText(`${dateForm}, ${age}, not before 1900`, (value, nowMs) => {
    if (!isRealDate(value)) return ['invalid_format', `must be ${dateForm}`]
    const today = new Date(nowMs).toISOString().slice(0, 10)
    // Dates in this form compare as text; a person born on 29 February comes of age on 1 March.
    const latest = `${String(Number(today.slice(0, 4)) - yearsMin).padStart(4, '0')}${today.slice(4)}`
    if (value > latest) return ['invalid_value', `must be ${age}`]
    return value >= '1900-01-01' ? value : ['invalid_value', 'must not be before 1900']
  })
}

function isRealDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  // V8 takes 30 February for 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

export const bool: FormSchema = { type: 'boolean', description: 'true or false' }

export function integer(minimum: number, maximum: number): FormSchema {
  return { type: 'integer', minimum, maximum, description: `a whole number from ${minimum} to ${maximum}` }
}

/** A number in one version of the provider's documents, a range in another. */
export function integerOrWord(minimum: number, maximum: number, allowed: readonly string[]): FormSchema {
  const number = integer(minimum, maximum)
  const description = `${number.description}, or one of the allowed words`
  const reads: Reader = (value) =>
    allowed.includes(value) ? value : ['invalid_value', `must be one of: ${allowed.join(', ')}`]
  return { ...number, type: ['integer', 'string'], description, reads, known: allowed }
}

/** The provider documents some times both as text and as milliseconds. */
export function timeOrMs(maximum: number): FormSchema {
  const number = integer(0, maximum)
  const description = `${number.description}, or ${dateTimeForm}`
  return { ...number, type: ['integer', 'string'], description, reads: readDateTime }
}

export function list(items: FormSchema, maxItems: number): FormSchema {
  return { type: 'array', items, maxItems, description: `a list of at most ${maxItems}` }
}

/** @param words JSON Schema beside the properties, such as `requiredWhen` */
export function object(properties: Fields, required: readonly string[] = [], words: object = {}): FormSchema {
  const needs = required.length > 0 ? { required } : {}
  return { type: 'object', ...needs, properties, description: 'an object', additionalProperties: true, ...words }
}

/** One property that another one, where it is like `schema`, calls for. */
export const requiredWhen = (name: string, other: string, schema: object, errorText: string) => ({
  if: { properties: { [other]: schema }, required: [other] },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema; nobody awaits a schema.
  then: { required: [name], errorText },
})

type Judging = { nowMs: number }
type Place = { parentData: Record<string | number, unknown>; parentDataProperty: string | number }

const ajv = new Ajv({ ...validatorOptions.customOptions, passContext: true })

function judgeText(this: Judging, read: Reader, value: string, _: unknown, at?: Place): boolean {
  const found = read(value, this.nowMs)
  if (typeof found !== 'string') {
    const [code, rule] = found
    judgeText.errors = [{ keyword: 'reads', params: { code, rule } }]
    return false
  }
  if (at) at.parentData[at.parentDataProperty] = found
  return true
}
judgeText.errors = [] as Partial<ErrorObject>[]
ajv.addKeyword('known')
ajv.addKeyword({ keyword: 'reads', type: 'string', errors: true, validate: judgeText })

/**
 * Judges an object by its schema, and puts in place what its texts are sent on as.
 * @returns every problem, one a place, at most `problemsMax`
 */
export function judge(schema: FormSchema, body: JsonObject, nowMs: number): Problem[] {
  const validate = ajv.compile(schema) // a schema is compiled once: ajv knows it again
  if (validate.call({ nowMs }, body)) return []
  const findings = validate.errors ?? []
  validate.errors = null // the findings hold KYC data
  judgeText.errors = []
  const tooLong = new Set(findings.filter(({ keyword }) => keyword === 'maxItems').map((one) => one.instancePath))
  const isWithin = (path: string): boolean =>
    path !== '' && (tooLong.has(path) || isWithin(path.slice(0, path.lastIndexOf('/'))))
  const problems = findings
    .filter((one) => one.keyword !== 'if' && !isWithin(one.instancePath.slice(0, one.instancePath.lastIndexOf('/'))))
    .filter((one) => one.keyword !== 'enum' || typeof one.data === 'string') // another type is told as that
    // What one field calls for comes behind the fields.
    .toSorted((one, other) => Number(one.schemaPath.includes('/then/')) - Number(other.schemaPath.includes('/then/')))
    .map(problemOf)
  const places = Map.groupBy(problems, ({ param }) => param).values()
  return [...places].flatMap(([first]) => first ?? []).slice(0, problemsMax)
}

function problemOf({ instancePath, keyword, params, parentSchema = {}, data }: ErrorObject): Problem {
  const { missingProperty, code, rule } = params
  const path = missingProperty === undefined ? instancePath : `${instancePath}/${missingProperty}`
  const param = path
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
  const { errorText, description } = parentSchema
  const violation = (): Violation => {
    if (missingProperty !== undefined) return ['missing_field', errorText ?? 'is required']
    if (keyword === 'reads') return [code, rule]
    if (keyword === 'type' && typeof data === 'number' && String(params['type']).includes('integer'))
      return ['invalid_value', `must be ${description}`]
    const [ofKeyword, inWords] = ruleOf(keyword, params) as Violation
    if (keyword === 'type' && data === null) return [ofKeyword, `${inWords}; leave it out when there is none`]
    return [ofKeyword, keyword === 'pattern' ? errorText : inWords]
  }
  const [problemCode, words] = violation()
  return { param, code: problemCode, message: `${param} ${words}.` }
}
