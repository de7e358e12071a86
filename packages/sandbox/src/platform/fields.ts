// A small vocabulary of rules for request bodies. A rule adds its complaint under the field's dotted path, so that one
// answer names every bad field at once.
import { invalidParameters, type Location, type Problems } from './errors.ts'

export type Rule = (value: unknown, path: string, problems: Problems) => void

export type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const rule =
  (complaint: string, holds: (value: unknown) => boolean): Rule =>
  (value, path, problems) => {
    if (!holds(value)) problems[path] ??= complaint
  }

export const text = (min: number, max: number): Rule =>
  rule(`must be a string of ${min} to ${max} characters`, (value) => {
    return typeof value === 'string' && value.length >= min && value.length <= max
  })

export const matching = (pattern: RegExp, complaint: string): Rule =>
  rule(complaint, (value) => typeof value === 'string' && pattern.test(value))

export const oneOf = (values: readonly string[]): Rule =>
  rule('Not supported', (value) => typeof value === 'string' && values.includes(value))

export const boolean: Rule = rule('must be a boolean', (value) => typeof value === 'boolean')

export const integer = (min: number, max: number): Rule =>
  rule(`must be an integer from ${min} to ${max}`, (value) => {
    return Number.isInteger(value) && Number(value) >= min && Number(value) <= max
  })

export const timestampText: Rule = rule(
  'must be an ISO-8601 date and time',
  (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) && !Number.isNaN(Date.parse(value)),
)

/** A day of the calendar, yyyy-mm-dd; `2023-02-30` is none. */
export const isDay = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d{2}-\d{2}$/.test(value) &&
  new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value

export const day: Rule = rule('must be a date as yyyy-mm-dd', isDay)

export const httpUrl: Rule = rule('must be an http or https URL', (value) => {
  return typeof value === 'string' && value.length <= 2048 && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
})

export const list =
  (item: Rule, max = 100): Rule =>
  (value, path, problems) => {
    if (!Array.isArray(value) || value.length > max) problems[path] ??= `must be an array of at most ${max}`
    else for (const [index, entry] of value.entries()) item(entry, `${path}.${index}`, problems)
  }

export type Shape = Record<string, Rule>

/** An object whose named fields, where present, follow their rules. Unknown fields pass, as they do upstream. */
export const object =
  (fields: Shape, required: readonly string[] = []): Rule =>
  (value, path, problems) => {
    if (!isObject(value)) {
      problems[path] ??= 'must be an object'
      return
    }
    for (const name of required) if (isAbsent(value[name])) problems[join(path, name)] ??= 'is missing'
    for (const [name, check] of Object.entries(fields)) {
      if (!isAbsent(value[name])) check(value[name], join(path, name), problems)
    }
  }

/** All the rules, in order; the first complaint about a field stands. */
export const all =
  (...rules: Rule[]): Rule =>
  (value, path, problems) => {
    for (const check of rules) check(value, path, problems)
  }

/** Throws `invalid_parameters` with every complaint, or returns the object. */
export const parse = (check: Rule, value: unknown, location: Location = 'body'): JsonObject => {
  const problems: Problems = {}
  const input = value ?? {}
  if (!isObject(input)) throw invalidParameters(location, { [location]: 'must be an object' })
  check(input, '', problems)
  if (Object.keys(problems).length > 0) throw invalidParameters(location, problems)
  return input
}

/** A string field of a body that has been parsed. */
export const textOf = (body: JsonObject, name: string): string | undefined => {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}

export const listOf = (body: JsonObject, name: string): unknown[] => {
  const value = body[name]
  return Array.isArray(value) ? value : []
}

export const objectOf = (body: JsonObject, name: string): JsonObject | undefined => {
  const value = body[name]
  return isObject(value) ? value : undefined
}

// The provider takes an explicit null for "not given".
const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** The dotted path of a field of the object at `path`. */
export const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
