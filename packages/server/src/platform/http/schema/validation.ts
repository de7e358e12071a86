// Validation of input: converts query text first, then reports every problem by field and rule, never with the value
// that was sent.

import type { FastifySchemaValidationError, FastifyServerOptions, preValidationHookHandler } from 'fastify'
import { type ApiError, catalogue, type ErrorCode, type ErrorDetail, fail } from '../../errors.ts'
import { didYouMean } from '../../values/did-you-mean.ts'
import { errorDetailsMax } from '../limits.ts'

/** A finding of ajv with `verbose`. */
type Finding = FastifySchemaValidationError & {
  parentSchema?: Readonly<Record<string, unknown>>
  propertyName?: string
  data?: unknown
}

/** Options for Fastify's validator. */
export const validatorOptions: NonNullable<FastifyServerOptions['ajv']> = {
  customOptions: {
    // Unbounded, but bodies are small and responses are cut at `errorDetailsMax`.
    allErrors: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: true,
    allowUnionTypes: true,
    verbose: true,
    // Tests validate the document made of the schemas. Validating each schema at start-up takes longer than compiling
    // it.
    validateSchema: false,
    // Custom keywords: two for `detailOf`, and a rule.
    keywords: [
      'errorText',
      'errorCode',
      { keyword: 'wellFormed', type: 'string', validate: (_is: true, text: string) => text.isWellFormed() },
    ],
  },
}

/**
 * Creates the error for a request that its schema rejects, for Fastify's `schemaErrorFormatter`.
 * @param part `body`, `querystring`, `params` or `headers`
 */
export function validationError(findings: readonly FastifySchemaValidationError[], part: string): ApiError {
  const relevant = findings.filter((finding: Finding) => finding.propertyName === undefined)
  if (part === 'body' && relevant.some((finding) => finding.instancePath === '' && finding.keyword === 'type'))
    return fail('body_required')
  const details = relevant.slice(0, errorDetailsMax).map((finding) => detailOf(finding, part))
  const [first] = details
  if (!first) return fail('invalid_value')
  return fail(codeOfPart[part] ?? (isErrorCode(first.code) ? first.code : 'invalid_value'), {
    details,
    message: first.message,
  })
}

const codeOfPart: Readonly<Record<string, ErrorCode>> = {
  querystring: 'invalid_query',
  params: 'invalid_path',
  headers: 'invalid_header',
}

function detailOf(finding: Finding, part: string): ErrorDetail {
  const { params, parentSchema = {} } = finding
  const path = finding.instancePath.split('/').slice(1).map(unescaped)
  const { missingProperty, additionalProperty } = params
  if (typeof missingProperty === 'string') return detail('missing_field', [...path, missingProperty], 'is required.')
  if (typeof additionalProperty === 'string') {
    const meant = didYouMean(additionalProperty, Object.keys(parentSchema['properties'] ?? {}))
    const hint = meant === undefined ? '' : ` Did you mean \`${dotted([...path, meant])}\`?`
    const kind = part === 'querystring' ? 'query parameter' : 'field'
    return detail('unknown_field', [...path, additionalProperty], `is not a known ${kind}.${hint}`)
  }
  const { errorCode, errorText } = parentSchema
  const [code, rule] = ruleOf(finding.keyword, params)
  if (isErrorCode(errorCode)) {
    const words = typeof errorText === 'string' ? `${errorText}${contrastOf(finding)}` : rule
    return detail(errorCode, path, `${words}.`)
  }
  // The text of a schema describes the form of a string. For a value that is not a string, report the type first.
  const hasOwnWords = typeof errorText === 'string' && finding.keyword !== 'type'
  const hint = part === 'querystring' && lostItsPlus(finding) ? ': in a query, `+` is written `%2B`' : ''
  return detail(code, path, `${hasOwnWords ? errorText : rule}${hint}.`)
}

/** Describes the value that was sent, if it has another type or is empty. */
function contrastOf({ keyword, data }: Finding): string {
  if (data === '') return ', not an empty text'
  if (keyword !== 'type') return ''
  const type = data === null ? 'null' : Array.isArray(data) ? 'array' : typeof data
  return type === 'boolean' ? ', not true or false' : `, not ${articles[type] ?? type}`
}

/** @returns whether a text is a time with a space in place of its `+`, as form decoding leaves it */
const lostItsPlus = ({ keyword, data }: Finding): boolean =>
  keyword === 'format' && typeof data === 'string' && /^\S+ \d{2}:?\d{2}$/.test(data)

function detail(code: ErrorCode, path: readonly string[], rule: string): ErrorDetail {
  const param = dotted(path)
  return { param, code, message: `${param === '' ? 'The object' : param} ${rule}` }
}

type Rule = [ErrorCode, (limit: string, params: Readonly<Record<string, unknown>>) => string]

const membersAtLeast: Rule = [
  'invalid_length',
  (n) => `must have at least ${n} ${n === '1' ? 'property' : 'properties'}`,
]
const membersAtMost: Rule = ['invalid_length', (n) => `must have at most ${n} properties`]
const rules: Readonly<Record<string, Rule>> = {
  type: ['invalid_type', (_n, { type }) => `must be ${typeNames(type)}`],
  enum: ['invalid_value', (_n, { allowedValues }) => `must be one of: ${listed(allowedValues)}`],
  pattern: ['invalid_format', () => 'does not have the required form'],
  wellFormed: ['invalid_format', () => 'does not have the required form'],
  format: ['invalid_format', (_n, { format }) => `must be a valid ${String(format)}`],
  minLength: ['invalid_length', (n) => (n === '1' ? 'must not be empty' : `must have at least ${n} characters`)],
  maxLength: ['invalid_length', (n) => `must have at most ${n} characters`],
  minItems: membersAtLeast,
  minProperties: membersAtLeast,
  maxItems: membersAtMost,
  maxProperties: membersAtMost,
  minimum: ['invalid_value', (n) => `must be at least ${n}`],
  maximum: ['invalid_value', (n) => `must be at most ${n}`],
  uniqueItems: ['invalid_value', () => 'must not contain the same item twice'],
  propertyNames: ['invalid_value', () => 'has a property whose name is not allowed'],
}

/** Returns the rule that was broken: its code, and the rule in words. */
export function ruleOf(keyword: string, params: Readonly<Record<string, unknown>>): [ErrorCode, string] {
  const [code, words] = rules[keyword] ?? ['invalid_value', () => 'does not have an allowed format']
  return [code, words(String(params['limit']), params)]
}

const articles: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

function typeNames(types: unknown): string {
  const names = Array.isArray(types) ? types.map(String) : String(types).split(',')
  return names.map((name) => articles[name] ?? name).join(' or ')
}

/** Lists allowed values. They come from the schema, not the caller; long lists are left to the documentation. */
function listed(values: unknown): string {
  if (!Array.isArray(values)) return ''
  return values.length <= 30 ? values.join(', ') : `${values.slice(0, 30).join(', ')}, …`
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(catalogue, code)
}

function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

/**
 * Joins the names of a path. They may be the caller's text, so control characters are removed and length is limited to
 * 64.
 */
function dotted(path: readonly string[]): string {
  return path.map((name) => name.replace(/\p{C}/gu, '').slice(0, 64)).join('.')
}

type ObjectSchema = { properties?: Record<string, { type?: unknown }>; required?: string[]; minProperties?: number }

/** Converts the input of a request before its validation. */
export const prepareInput: preValidationHookHandler = (request, _reply, done) => {
  const { querystring, body } = request.routeOptions.schema ?? {}
  if (querystring) convertQuery(request.query as Record<string, unknown>, querystring as ObjectSchema)
  if (body && request.body === undefined && isOptionalBody(body)) request.body = {}
  done()
}

/** Returns whether a body may be omitted: it has no required members. */
export function isOptionalBody(body: unknown): boolean {
  const { required = [], minProperties = 0, properties } = body as ObjectSchema
  return properties !== undefined && required.length === 0 && minProperties === 0
}

/** Text that cannot be converted to its type stays text, and the validator reports it. */
function convertQuery(query: Record<string, unknown>, { properties = {} }: ObjectSchema): void {
  for (const [name, { type }] of Object.entries(properties)) if (type === 'object') gatherMembers(query, name)
  for (const [name, text] of Object.entries(query))
    if (typeof text === 'string') query[name] = converted(text, properties[name]?.type)
}

/** Combines the query members `name[key]=value` into one object (OpenAPI style `deepObject`). */
function gatherMembers(query: Record<string, unknown>, name: string): void {
  const members = Object.entries(query).filter(([given]) => given.startsWith(`${name}[`) && given.endsWith(']'))
  if (members.length === 0 || name in query) return
  for (const [given] of members) delete query[given]
  query[name] = Object.fromEntries(members.map(([given, value]) => [given.slice(name.length + 1, -1), value]))
}

function converted(text: string, type: unknown): unknown {
  switch (type) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'array':
      return text.split(',')
  }
  return text
}
