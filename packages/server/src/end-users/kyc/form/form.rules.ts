// The words in which the form of a JSON body is described: each rule reports what is wrong with a value and gives back
// the value as it should be sent on. Properties that no rule names pass through untouched.
import { isCountry } from '../../../platform/values/country-codes.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { type DataUriFault, type DocumentKind, pixelsMin, readDataUri } from './document-image.rules.ts'

/** `message` names the field and the rule, never the value: the values are KYC data. */
export type Problem = {
  param: string
  code: 'missing_field' | 'unknown_field' | 'invalid_type' | 'invalid_value' | 'invalid_format' | 'invalid_length'
  message: string
}

/** One reading of one body: the day it is read, and what was found so far. */
export type Reading = { nowMs: number; problems: Problem[] }

/** A rule in words, so that whoever asks is told what is checked and nothing else. */
export type About = {
  rule: string
  /** In JSON's words; of an object or a list it goes without saying. */
  type?: 'string' | 'boolean' | 'integer' | readonly ('string' | 'integer')[]
  /** Every value there is. */
  allowed?: readonly string[]
  /** The values that we know, of a list that grows. */
  known?: readonly string[]
  /** Of an object: its properties, and which of them can not be left out. */
  members?: Readonly<Record<string, Rule>>
  required?: readonly string[]
  /** Of a list: the rule for each item. */
  item?: Rule
}

/** @param at where the value stands, e.g. `identifying_information[0].number` */
type Check = (value: Json, at: string, reading: Reading) => Json

export type Rule = Check & { readonly about: About }

function ruleOf(about: About, check: Check): Rule {
  return Object.assign(check, { about })
}

/** A longer list helps nobody, and a hostile body could ask for a million. */
export const problemsMax = 200

export function report(reading: Reading, at: string, code: Problem['code'], rule: string): void {
  if (reading.problems.length < problemsMax) reading.problems.push({ param: at, code, message: `${at} ${rule}.` })
}

/** A rule for a string: `read` gives back the string to send on, or the code and the rule that it breaks. */
function textRule(about: About, read: (value: string, reading: Reading) => string | [Problem['code'], string]): Rule {
  return ruleOf({ type: 'string', ...about }, (value, at, reading) => {
    if (typeof value !== 'string') {
      report(reading, at, 'invalid_type', 'must be a string; leave it out when there is none')
      return value
    }
    const found = read(value, reading)
    if (typeof found === 'string') return found
    report(reading, at, ...found)
    return value
  })
}

export function text(charsMin: number, charsMax: number): Rule {
  return textRule({ rule: `text of ${charsMin} to ${charsMax} characters` }, (value) => {
    // A character outside the BMP counts once, as in JSON Schema; what is far too long is not counted.
    const chars = value.length > charsMax * 2 ? value.length : [...value].length
    if (chars > charsMax) return ['invalid_length', `must have at most ${charsMax} characters`]
    if (value.trim().length < charsMin) return ['invalid_length', `must have at least ${charsMin} characters`]
    return /\p{Cc}/u.test(value.replace(/[\r\n\t]/g, ''))
      ? ['invalid_format', 'must not contain control characters']
      : value
  })
}

/** @param form completes "must be …" */
export function pattern(expression: RegExp, form: string): Rule {
  return textRule({ rule: form }, (value) => (expression.test(value) ? value : ['invalid_format', `must be ${form}`]))
}

export function oneOf(allowed: readonly string[]): Rule {
  // Beyond this a list is no help in a message.
  const names = allowed.length <= 40 ? `one of ${allowed.join(', ')}` : 'a type that the provider documents'
  const about = { rule: 'one of the allowed words', allowed }
  return textRule(about, (value) => (allowed.includes(value) ? value : ['invalid_value', `must be ${names}`]))
}

const wordForm = 'a word of small letters, digits and _, at most 64 characters'

/** A word of a list that grows: one that is new to us is the provider's to judge. */
export function wordOf(known: readonly string[]): Rule {
  const about = { rule: `${wordForm}, such as ${known.slice(0, 9).join(', ')}`, known }
  return textRule(about, (value) =>
    /^[a-z][a-z0-9_]{0,63}$/.test(value) ? value : ['invalid_format', `must be ${wordForm}`],
  )
}

const countryForm = 'a country code of three letters (ISO 3166-1 alpha-3)'

export const country: Rule = textRule({ rule: `${countryForm}, in any case` }, (value) => {
  // Slice first: some letters change their number when they change case.
  const code = value.slice(0, 4).toUpperCase()
  return isCountry(code) ? code : ['invalid_value', `must be ${countryForm}`]
})

const subdivisionForm = '1 to 3 letters or digits: the ISO 3166-2 code without the country prefix'

export const subdivision: Rule = textRule({ rule: subdivisionForm }, (value) =>
  /^[A-Za-z0-9]{1,3}$/.test(value) ? value.toUpperCase() : ['invalid_format', `must be ${subdivisionForm}`],
)

export const email: Rule = textRule({ rule: 'an e-mail address of at most 1024 characters' }, (value) => {
  if (value.length > 1024) return ['invalid_length', 'must have at most 1024 characters']
  return /^[^\s@]+@[^\s@]+$/.test(value) ? value : ['invalid_format', 'must be an e-mail address']
})

export const phone = pattern(/^\+[1-9][0-9]{6,14}$/, 'a number in international form, such as +12223334444')

const dateTimeForm = 'a date and time in ISO 8601 with a time zone'

export const dateTime: Rule = textRule({ rule: dateTimeForm }, (value) =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/.test(value) &&
  isRealDate(value.slice(0, 10))
    ? value
    : ['invalid_format', `must be ${dateTimeForm}`],
)

const dateForm = 'a real date written yyyy-mm-dd'

export const date: Rule = textRule({ rule: dateForm }, (value) =>
  isRealDate(value) ? value : ['invalid_format', `must be ${dateForm}`],
)

/** @param yearsMin 0 for any date that has been */
export function birthDate(yearsMin: number): Rule {
  const age = yearsMin > 0 ? `at least ${yearsMin} years ago` : 'past'
  return textRule({ rule: `${dateForm}, ${age}, not before 1900` }, (value, { nowMs }) => {
    if (!isRealDate(value)) return ['invalid_format', `must be ${dateForm}`]
    const today = new Date(nowMs).toISOString().slice(0, 10)
    // Dates in this form compare as text; who is born on 29 February comes of age on 1 March.
    const latest = `${String(Number(today.slice(0, 4)) - yearsMin).padStart(4, '0')}${today.slice(4)}`
    if (value > latest) return ['invalid_value', `must be ${age}`]
    return value >= '1900-01-01' ? value : ['invalid_value', 'must not be before 1900']
  })
}

function isRealDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  // 30 February is taken for 2 March by some engines.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

export const bool: Rule = ruleOf({ rule: 'true or false', type: 'boolean' }, (value, at, reading) => {
  if (typeof value !== 'boolean') report(reading, at, 'invalid_type', 'must be true or false')
  return value
})

export function integer(min: number, max: number): Rule {
  const rule = `a whole number from ${min} to ${max}`
  return ruleOf({ rule, type: 'integer' }, (value, at, reading) => {
    if (typeof value !== 'number') report(reading, at, 'invalid_type', 'must be a number')
    else if (!Number.isInteger(value) || value < min || value > max) {
      report(reading, at, 'invalid_value', `must be ${rule}`)
    }
    return value
  })
}

/** A value may have two JSON types when the provider's own documents disagree. */
export function numberOr(number: Rule, other: Rule): Rule {
  const type = ['integer', 'string'] as const
  const about = { ...other.about, rule: `${number.about.rule}, or ${other.about.rule}`, type }
  return ruleOf(about, (value, at, reading) => (typeof value === 'number' ? number : other)(value, at, reading))
}

export function list(rule: Rule, itemsMax: number): Rule {
  return ruleOf({ rule: `a list of at most ${itemsMax}`, item: rule }, (value, at, reading) => {
    if (!Array.isArray(value)) report(reading, at, 'invalid_type', 'must be an array')
    else if (value.length > itemsMax) report(reading, at, 'invalid_length', `must have at most ${itemsMax} items`)
    else return value.map((item, index) => rule(item, `${at}[${index}]`, reading))
    return value
  })
}

export function document(kinds: readonly DocumentKind[], bytesMax: number): Rule {
  const faults: Record<DataUriFault, [Problem['code'], string]> = {
    not_a_data_uri: ['invalid_format', 'must be a data URI in base64: data:<media type>;base64,<data>'],
    not_base64: ['invalid_format', 'must be padded standard base64 without line breaks'],
    unknown_kind: ['invalid_format', `must be a ${kinds.join(', ')} file, going by its first bytes`],
    too_large: ['invalid_length', `must have at most ${bytesMax} bytes`],
    too_small: ['invalid_value', `must be a picture of at least ${pixelsMin} by ${pixelsMin} pixels`],
  }
  const rule = `a data URI in base64 (${kinds.join(', ')}, going by the first bytes) of at most ${bytesMax} bytes`
  return textRule({ rule }, (value) => {
    const found = readDataUri(value, bytesMax)
    if (!found.ok) return faults[found.fault]
    return kinds.includes(found.kind) ? found.uri : faults.unknown_kind
  })
}

/** A rule on what properties mean together; it sees only objects, and gives nothing back. */
export type JointRule = (value: JsonObject, at: string, reading: Reading) => void

export function object(
  fields: Readonly<Record<string, Rule>>,
  required: readonly string[] = [],
  joint?: JointRule,
): Rule {
  return ruleOf({ rule: 'an object', members: fields, required }, (value, at, reading) => {
    if (!isJsonObject(value)) {
      report(reading, at, 'invalid_type', 'must be an object')
      return value
    }
    return readFields(value, at, fields, required, joint, reading)
  })
}

/** The properties of an object that stands at `at`; the empty path is the body itself. */
export function readFields(
  value: JsonObject,
  at: string,
  fields: Readonly<Record<string, Rule>>,
  required: readonly string[],
  joint: JointRule | undefined,
  reading: Reading,
): JsonObject {
  const prefix = at === '' ? '' : `${at}.`
  for (const name of required) {
    if (!Object.hasOwn(value, name)) report(reading, prefix + name, 'missing_field', 'is required')
  }
  const read: JsonObject = { ...value }
  for (const [name, rule] of Object.entries(fields)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given !== undefined) read[name] = rule(given, prefix + name, reading)
  }
  joint?.(read, at, reading)
  return read
}
