// Rules for request bodies. A rule reads one value and adds its complaint under the field's dotted path, so that one response
// names every bad field. A body that follows its rules has their type.
import { invalidParameters, type Problems } from './errors.ts'

type JsonObject = Record<string, unknown>

/** Reads one value. Where it added to `problems`, the value it returned is not of the type and must not be used. */
export type Rule<Value> = (value: unknown, path: string, problems: Problems) => Value

/** The type of a value that follows the rule. */
export type ValueOf<AnyRule> = AnyRule extends Rule<infer Value> ? Value : never

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes the rule of values that `holds` accepts, which must all be of the type. */
export const rule =
  <Value>(complaint: string, holds: (value: unknown) => boolean): Rule<Value> =>
  (value, path, problems) => {
    if (!holds(value)) problems[path] ??= complaint
    return value as Value
  }

const isText = (value: unknown): value is string => typeof value === 'string'

export const text = (min: number, max: number): Rule<string> =>
  rule(
    `must be a string of ${min} to ${max} characters`,
    (value) => isText(value) && value.length >= min && value.length <= max,
  )

export const matching = (pattern: RegExp, complaint: string): Rule<string> =>
  rule(complaint, (value) => isText(value) && pattern.test(value))

export const oneOf = <const Name extends string>(names: readonly Name[]): Rule<Name> =>
  rule('Not supported', (value) => names.some((name) => name === value))

export const boolean: Rule<boolean> = rule('must be a boolean', (value) => typeof value === 'boolean')

export const integer = (min: number, max: number): Rule<number> =>
  rule(
    `must be an integer from ${min} to ${max}`,
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  )

export const timestampText: Rule<string> = rule(
  'must be an ISO-8601 date and time',
  (value) => isText(value) && /^\d{4}-\d{2}-\d{2}T/.test(value) && !Number.isNaN(Date.parse(value)),
)

/** Tells whether a value is a day of the calendar as yyyy-mm-dd; `2023-02-30` is not. */
export const isDay = (value: unknown): value is string =>
  isText(value) && /^\d{4}-\d{2}-\d{2}$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value

export const day: Rule<string> = rule('must be a date as yyyy-mm-dd', isDay)

export const httpUrl: Rule<string> = rule(
  'must be an http or https URL',
  (value) => isText(value) && value.length <= 2048 && /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
)

export const list =
  <Item>(item: Rule<Item>, max = 100): Rule<Item[]> =>
  (value, path, problems) => {
    if (Array.isArray(value) && value.length <= max) {
      return value.map((entry, index) => item(entry, `${path}.${index}`, problems))
    }
    problems[path] ??= `must be an array of at most ${max}`
    return []
  }

type Shape = Record<string, Rule<unknown>>

type Given<Fields extends Shape, Required extends keyof Fields> = {
  [Name in Required]: ValueOf<Fields[Name]>
} & { [Name in Exclude<keyof Fields, Required>]?: ValueOf<Fields[Name]> | undefined }

// A null is read as an absent field.
const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Makes the rule of an object whose named fields, where present, follow their rules. Other fields are dropped. */
export const object =
  <const Fields extends Shape, Required extends keyof Fields & string = never>(
    fields: Fields,
    required: readonly Required[] = [],
  ): Rule<Given<Fields, Required>> =>
  (value, path, problems) => {
    const given: JsonObject = {}
    if (isObject(value)) {
      for (const name of required) if (isAbsent(value[name])) problems[join(path, name)] ??= 'is missing'
      for (const [name, read] of Object.entries(fields)) {
        if (!isAbsent(value[name])) given[name] = read(value[name], join(path, name), problems)
      }
    } else problems[path] ??= 'must be an object'
    return given as Given<Fields, Required>
  }

/** Makes the rule of an object whose named fields are all required. */
export const fullObject = <const Fields extends Shape>(fields: Fields) =>
  object(fields, Object.keys(fields) as (keyof Fields & string)[])

/** Adds a check to the rule of an object. The check also sees fields that broke their rules. */
export const refined =
  <Value>(base: Rule<Value>, check: (given: JsonObject, path: string, problems: Problems) => void): Rule<Value> =>
  (value, path, problems) => {
    const read = base(value, path, problems)
    if (isObject(value)) check(value, path, problems)
    return read
  }

/**
 * Reads a body by the rule of an object; an absent body is read as an empty object.
 * @throws Refusal `invalid_parameters` with every complaint
 */
export const parse = <Value>(read: Rule<Value>, body: unknown): Value => {
  const problems: Problems = {}
  const input = body ?? {}
  if (!isObject(input)) throw invalidParameters('body', { body: 'must be an object' })
  const given = read(input, '', problems)
  if (Object.keys(problems).length > 0) throw invalidParameters('body', problems)
  return given
}

/** Returns the dotted path of a field of the object at `path`. */
export const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
