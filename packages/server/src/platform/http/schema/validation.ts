// Turns the validator's findings into our error: every problem, by field and rule, never with the value that was sent.

import type { FastifySchemaValidationError, FastifyServerOptions } from 'fastify'
import { type ApiError, catalogue, type ErrorCode, type ErrorDetail, fail } from '../../errors.ts'
import { errorDetailsMax } from '../limits.ts'
import { didYouMean } from './did-you-mean.ts'

/** A finding of ajv with `verbose`. */
type Finding = FastifySchemaValidationError & {
  parentSchema?: Readonly<Record<string, unknown>>
  propertyName?: string
}

/** Options of the validator that Fastify makes. */
export const validatorOptions: NonNullable<FastifyServerOptions['ajv']> = {
  customOptions: {
    // Unbounded by itself, but bodies are small and answers are cut at `errorDetailsMax`.
    allErrors: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: true,
    allowUnionTypes: true,
    verbose: true,
    // Tests judge the document made of the schemas: to judge each schema at a start takes longer than to compile it.
    validateSchema: false,
    // Words of ours in schemas, for `detailOf`.
    keywords: ['errorText', 'errorCode'],
  },
}

/**
 * Makes the error of a request that its schema refuses, for Fastify's `schemaErrorFormatter`.
 * @param part `body`, `querystring`, `params` or `headers`
 */
export function validationError(findings: readonly FastifySchemaValidationError[], part: string): ApiError {
  const relevant = withoutUnfitBranches(findings).filter((finding) => finding.propertyName === undefined)
  if (part === 'body' && relevant.some((finding) => finding.instancePath === '' && finding.keyword === 'type'))
    return fail('body_required')
  const details = relevant.slice(0, errorDetailsMax).map(detailOf)
  const [first] = details
  if (!first) return fail('invalid_value')
  return fail(codeOfPart(part) ?? (isErrorCode(first.code) ? first.code : 'invalid_value'), {
    details,
    message: first.message,
  })
}

function codeOfPart(part: string): ErrorCode | undefined {
  switch (part) {
    case 'querystring':
      return 'invalid_query'
    case 'params':
      return 'invalid_path'
    case 'headers':
      return 'invalid_header'
  }
  return undefined
}

function detailOf(finding: Finding): ErrorDetail {
  const { params, parentSchema = {} } = finding
  const path = finding.instancePath.split('/').slice(1).map(unescaped)
  const { missingProperty, additionalProperty } = params
  if (typeof missingProperty === 'string') return detail('missing_field', [...path, missingProperty], 'is required.')
  if (typeof additionalProperty === 'string') {
    const meant = didYouMean(additionalProperty, Object.keys(parentSchema['properties'] ?? {}))
    const hint = meant === undefined ? '' : ` Did you mean \`${dotted([...path, meant])}\`?`
    return detail('unknown_field', [...path, additionalProperty], `is not known here.${hint}`)
  }
  const { errorCode, errorText } = parentSchema
  const [code, rule] = ruleOf(finding.keyword, params)
  if (isErrorCode(errorCode)) return detail(errorCode, path, `${typeof errorText === 'string' ? errorText : rule}.`)
  // The words of a schema say what form its text must have; a value that is no text is told its type first.
  const hasOwnWords = typeof errorText === 'string' && finding.keyword !== 'type'
  return detail(code, path, `${hasOwnWords ? errorText : rule}.`)
}

function detail(code: ErrorCode, path: readonly string[], rule: string): ErrorDetail {
  const param = dotted(path)
  return { param, code, message: `${param === '' ? 'The object' : param} ${rule}` }
}

/** The rule that was broken, in words. */
export function ruleOf(keyword: string, params: Readonly<Record<string, unknown>>): [ErrorCode, string] {
  const limit = String(params['limit'])
  switch (keyword) {
    case 'type':
      return ['invalid_type', `must be ${typeNames(params['type'])}`]
    case 'enum':
      return ['invalid_value', `must be one of: ${listed(params['allowedValues'])}`]
    case 'const':
      return ['invalid_value', `must be ${String(params['allowedValue'])}`]
    case 'pattern':
      return ['invalid_format', 'does not have the required form']
    case 'format':
      return ['invalid_format', `must be a valid ${String(params['format'])}`]
    case 'minLength':
      return ['invalid_length', limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`]
    case 'maxLength':
      return ['invalid_length', `must have at most ${limit} characters`]
    case 'minItems':
    case 'minProperties':
      return ['invalid_length', `must have at least ${limit} ${limit === '1' ? 'member' : 'members'}`]
    case 'maxItems':
    case 'maxProperties':
      return ['invalid_length', `must have at most ${limit} members`]
    case 'minimum':
      return ['invalid_value', `must be at least ${limit}`]
    case 'maximum':
      return ['invalid_value', `must be at most ${limit}`]
    case 'exclusiveMinimum':
      return ['invalid_value', `must be above ${limit}`]
    case 'exclusiveMaximum':
      return ['invalid_value', `must be below ${limit}`]
    case 'uniqueItems':
      return ['invalid_value', 'must not hold the same member twice']
    case 'propertyNames':
      return ['invalid_value', 'has a member whose name is not allowed']
  }
  return ['invalid_value', 'does not have an allowed form']
}

/**
 * Of a union, each branch reports why it does not fit. Only the report of the branch that was meant helps: the single branch
 * whose own type and discriminator fit. Without such a branch, the union itself is reported.
 */
function withoutUnfitBranches(findings: readonly Finding[]): readonly Finding[] {
  let kept = findings
  for (const union of findings) {
    if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') continue
    const branchOf = (finding: Finding) =>
      finding.instancePath.startsWith(union.instancePath) && finding.schemaPath.startsWith(`${union.schemaPath}/`)
        ? finding.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0]
        : undefined
    const branches = new Map<string, boolean>()
    for (const finding of findings) {
      const branch = branchOf(finding)
      if (branch !== undefined) branches.set(branch, (branches.get(branch) ?? true) && !decidesBranch(finding, union))
    }
    const fitting = [...branches].filter(([, fits]) => fits).map(([branch]) => branch)
    const meant = fitting.length === 1 ? fitting[0] : undefined
    kept = kept.filter((finding) => {
      if (finding === union) return meant === undefined
      const branch = branchOf(finding)
      return branch === undefined || branch === meant
    })
  }
  return kept
}

/** Tells that a branch was not meant: the type of the whole is wrong, or a constant one level down. */
function decidesBranch(finding: Finding, union: Finding): boolean {
  const depth = finding.instancePath.slice(union.instancePath.length).split('/').length - 1
  return (finding.keyword === 'type' && depth === 0) || (finding.keyword === 'const' && depth <= 1)
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

/** Lists allowed values. They are ours, not the caller's; long lists are for the documentation. */
function listed(values: unknown): string {
  if (!Array.isArray(values)) return ''
  return values.length <= 30 ? values.join(', ') : `${values.slice(0, 30).join(', ')}, …`
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(catalogue, code)
}

function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Joins the names of a path. They may be the caller's text: no control characters, 64 characters at most. */
function dotted(path: readonly string[]): string {
  return path.map((name) => name.replace(/\p{C}/gu, '').slice(0, 64)).join('.')
}
