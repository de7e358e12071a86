// The parts of the KYC form, each a JSON Schema with its rule in words, and the validator for them. Properties without
// a schema pass through unchanged.

import { Ajv, type ErrorObject } from 'ajv'
import { isRealDate } from '../../../../../forms/src/dates.ts'
import { ruleOf, validatorOptions } from '../../../platform/http/schema/validation.ts'
import { isCountry } from '../../../platform/values/country-codes.ts'
import type { JsonObject } from '../../../platform/values/json.ts'
import { words } from '../../../platform/values/words.ts'

/** `message` names the field and the rule, never the value: the values are KYC data. */
export type Problem = {
  param: string
  code: 'missing_field' | 'unknown_field' | 'invalid_type' | 'invalid_value' | 'invalid_format' | 'invalid_length'
  message: string
}

export type Violation = readonly [code: Problem['code'], rule: string]

/** Reads a text: returns the text to send to the provider, or the rule that the text breaks. */
export type Reader = (value: string, nowMs: number) => string | Violation

/** JSON Schema with the rule in words, and with two custom keywords: `known` and `reads`. */
export type FormSchema = {
  type: 'object' | 'array' | 'string' | 'integer' | 'boolean' | readonly ['integer', 'string']
  description: string
  properties?: Fields
  required?: readonly string[]
  items?: FormSchema
  enum?: readonly string[]
  /** The known words of a list that the provider extends. */
  known?: readonly string[]
  reads?: Reader
  [keyword: string]: unknown
}

export type Fields = Readonly<Record<string, FormSchema>>

export const readText = (description: string, reads: Reader, keywords: object = {}): FormSchema => ({
  type: 'string',
  minLength: 1,
  description,
  reads,
  ...keywords,
})

export function text(charsMin: number, charsMax: number): FormSchema {
  const read: Reader = (value) => {
    if (value.trim().length < charsMin) return ruleOf('minLength', { limit: charsMin }) as Violation
    return /[^\P{Cc}\r\n\t]/u.test(value) ? ['invalid_format', 'must not contain control characters'] : value
  }
  return readText(`text of ${charsMin} to ${charsMax} characters`, read, { maxLength: charsMax })
}

export const longText = text(1, 1024)

const patterned = (pattern: string, form: string, keywords: object = {}): FormSchema => ({
  type: 'string',
  pattern,
  description: form,
  errorText: `must be ${form}`,
  ...keywords,
})

/**
 * @param title names the enumeration in the API document
 * @param allowed a text lists words separated by white space
 */
export function oneOf(title: string, allowed: string | readonly string[]): FormSchema {
  const list = typeof allowed === 'string' ? words(allowed) : allowed
  return { type: 'string', enum: list, title, description: 'one of the allowed words' }
}

/** A word of a list that the provider extends: the provider validates an unknown word. */
export function wordOf(known: readonly string[]): FormSchema {
  const form = 'a word of small letters, digits and _, at most 64 characters'
  const description = `${form}, such as ${known.slice(0, 9).join(', ')}`
  return patterned('^[a-z][a-z0-9_]{0,63}$', form, { description, known })
}

const countryForm = 'a country code of three letters (ISO 3166-1 alpha-3)'

export const country = readText(`${countryForm}, in any case`, (value) => {
  const code = value.toUpperCase()
  // Other letters become these: `ßd` in upper case is SSD.
  return /^[A-Za-z]{3}$/.test(value) && isCountry(code) ? code : ['invalid_value', `must be ${countryForm}`]
})

const dateTimeForm = 'a date and time in ISO 8601 with a time zone'
const readDateTime: Reader = (value) =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/.test(value) &&
  isRealDate(value.slice(0, 10))
    ? value
    : ['invalid_format', `must be ${dateTimeForm}`]

export const dateTime = readText(dateTimeForm, readDateTime)

export const dateForm = 'a real date written yyyy-mm-dd'
const notADate: Violation = ['invalid_format', `must be ${dateForm}`]

export const date = readText(dateForm, (value) => (isRealDate(value) ? value : notADate))

export const bool: FormSchema = { type: 'boolean', description: 'true or false' }

export function integer(minimum: number, maximum: number): FormSchema {
  return { type: 'integer', minimum, maximum, description: `a whole number from ${minimum} to ${maximum}` }
}

/** An integer in one version of the provider's documents, one of a few words in another. */
export function integerOrWord(minimum: number, maximum: number, allowed: readonly string[]): FormSchema {
  const reads: Reader = (value) =>
    allowed.includes(value) ? value : ['invalid_value', `must be one of: ${allowed.join(', ')}`]
  return { ...integerOrText(minimum, maximum, 'one of the allowed words', reads), known: allowed }
}

/** The provider documents some times both as text and as milliseconds. */
export const timeOrMs = (maximum: number) => integerOrText(0, maximum, dateTimeForm, readDateTime)

function integerOrText(minimum: number, maximum: number, form: string, reads: Reader): FormSchema {
  const number = integer(minimum, maximum)
  return { ...number, type: ['integer', 'string'], description: `${number.description}, or ${form}`, reads }
}

export function list(items: FormSchema, maxItems: number): FormSchema {
  return { type: 'array', items, maxItems, description: `a list of at most ${maxItems}` }
}

/** @param keywords of JSON Schema in addition to the properties, such as `requiredWhen` */
export function object(properties: Fields, required: readonly string[] = [], keywords: object = {}): FormSchema {
  const needs = required.length > 0 ? { required } : {}
  return { type: 'object', ...needs, properties, description: 'an object', additionalProperties: true, ...keywords }
}

/** Requires the property `name` if the property `other` fits `schema`. */
export const requiredWhen = (name: string, other: string, schema: object, errorText: string) => ({
  if: { properties: { [other]: schema }, required: [other] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; a schema is never awaited.
  then: { required: [name], errorText },
})

type Place = { parentData: Record<string | number, unknown>; parentDataProperty: string | number }

const ajv = new Ajv({ ...validatorOptions.customOptions, passContext: true })

function judgeText(this: { nowMs: number }, read: Reader, value: string, _: unknown, at?: Place): boolean {
  const found = read(value, this.nowMs)
  if (typeof found !== 'string') {
    judgeText.errors = [{ keyword: 'reads', params: { violation: found } }]
    return false
  }
  if (at) at.parentData[at.parentDataProperty] = found
  return true
}
judgeText.errors = [] as Partial<ErrorObject>[]
ajv.addKeyword('known')
ajv.addKeyword({ keyword: 'reads', type: 'string', errors: true, validate: judgeText })

/**
 * Validates an object against its schema, and replaces each text by the result of its `reads`.
 * @returns every problem, one per place
 */
export function judge(schema: FormSchema, body: JsonObject, nowMs: number): Problem[] {
  const validate = ajv.compile(schema) // cached by ajv: each schema is compiled once
  if (validate.call({ nowMs }, body)) return []
  const findings = validate.errors ?? []
  validate.errors = null // the findings hold KYC data
  judgeText.errors = []
  const tooLong = new Set(findings.filter(({ keyword }) => keyword === 'maxItems').map((one) => one.instancePath))
  const isInTooLong = (path: string): boolean => {
    const parent = path.slice(0, path.lastIndexOf('/'))
    return parent !== '' && (tooLong.has(parent) || isInTooLong(parent))
  }
  const problems = findings
    .filter((one) => one.keyword !== 'if' && !isInTooLong(one.instancePath))
    // A property that another one requires is reported after the problems of existing properties.
    .toSorted((one, other) => Number(one.schemaPath.includes('/then/')) - Number(other.schemaPath.includes('/then/')))
    .map(problemOf)
  const byPlace = Map.groupBy(problems, ({ param }) => param).values()
  return [...byPlace].flatMap(([first]) => first ?? [])
}

function problemOf(finding: ErrorObject): Problem {
  const { instancePath, params } = finding
  const path = params['missingProperty'] === undefined ? instancePath : `${instancePath}/${params['missingProperty']}`
  const param = path
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
  const [code, rule] = violationOf(finding)
  return { param, code, message: `${param} ${rule}.` }
}

function violationOf({ keyword, params, parentSchema = {}, data }: ErrorObject): Violation {
  const { errorText, description } = parentSchema
  if (keyword === 'required') return ['missing_field', errorText ?? 'is required']
  if (keyword === 'reads') return params['violation']
  if (typeof data === 'number' && String(params['type']).includes('integer'))
    return ['invalid_value', `must be ${description}`]
  const [code, rule] = ruleOf(keyword, params) as Violation
  if (data === null) return [code, `${rule}; leave it out when there is none`]
  return [code, keyword === 'pattern' ? errorText : rule]
}
