// Fields of the reference page: each with its type, whether it is required, what it may be, and what is inside it.

import { type Html, html, withCode } from '../../platform/http/pages/page.ts'
import { nameOf, type Parameter, type Schema, typesOf } from './reference-document.ts'

/** Whether a schema is of what callers send or of what they get: it decides which members are worth a mark. */
export type Direction = 'sent' | 'got'

/** The members of an object with all that is inside them. Named objects are linked. */
export function fieldsOf(schema: Schema, direction: Direction): Html {
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) return html``
  return html`<ul class="fields">${members.map(([name, member]) =>
    field(name, member, markOf(schema.required?.includes(name) ?? false, direction)),
  )}</ul>`
}

export function parameterFields(parameters: readonly Parameter[]): Html {
  return html`<ul class="fields">${parameters.map(({ name, required, description, schema, example }) => {
    const examples = example === undefined ? {} : { examples: [example] }
    const told = description === undefined ? {} : { description }
    return field(name, { ...schema, ...told, ...examples }, markOf(required === true, 'sent'))
  })}</ul>`
}

/** Of what is sent the duties are told, of what comes the exceptions: most members are always there. */
function markOf(isRequired: boolean, direction: Direction): Mark {
  return { direction, html: direction === 'got' ? (isRequired ? '' : optional) : isRequired ? required : '' }
}
type Mark = { direction: Direction; html: Html | '' }
const required = html` <strong class="required">required</strong>`
const optional = html` <em class="optional">may be absent</em>`

function field(name: string, schema: Schema, mark: Mark): Html {
  const inside = schema.items ?? schema
  return html`<li><p class="field"><code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>${mark.html}</p>
${schema.description === undefined ? '' : html`<p>${withCode(schema.description)}</p>`}
${rulesOf(schema)}${inside === schema ? '' : rulesOf(inside)}
${fieldsOf(inside, mark.direction)}</li>
`
}

/** A schema that stands by itself: what it is in words, then its fields. */
export function wholeSchema(schema: Schema, direction: Direction): Html {
  const description = schema.description === undefined ? '' : html`<p>${withCode(schema.description)}</p>`
  const choice = schema.anyOf === undefined ? '' : html`<p>${typeOf(schema)}</p>`
  return html`${description}${choice}${rulesOf(schema)}${fieldsOf(schema.items ?? schema, direction)}`
}

/** `string`, `list of integer`, `Deposit or null`: named objects as links to their own place. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    return html`<a href="#object-${name}">${name}</a>`
  }
  if (schema.anyOf !== undefined)
    return html`${schema.anyOf.map((option, index) => html`${index === 0 ? '' : ' or '}${typeOf(option)}`)}`
  if (schema.items !== undefined)
    return html`list of ${typeOf(schema.items)}${typesOf(schema).includes('null') ? ' or null' : ''}`
  return html`${typesOf(schema).join(' or ')}`
}

function rulesOf(schema: Schema): Html {
  const rules = [...formRules(schema), ...valueRules(schema)]
  if (rules.length === 0) return html``
  return html`<p class="rules">${rules.map((rule, index) => html`${index === 0 ? '' : ' · '}${rule}`)}</p>`
}

/** What a value must look like. */
function formRules(schema: Schema): Html[] {
  return [
    rangeRule(schema.minLength, schema.maxLength, 'characters'),
    rangeRule(schema.minimum, schema.maximum, ''),
    rangeRule(schema.minItems, schema.maxItems, 'items'),
    rangeRule(schema.minProperties, schema.maxProperties, 'members'),
    schema.uniqueItems === true ? html`each once` : null,
    schema.format === undefined ? null : html`${formatNames[schema.format] ?? schema.format}`,
    // Every text of ours forbids control characters; only a pattern that says more is worth reading.
    schema.pattern === undefined || schema.pattern.includes('\\u0000')
      ? null
      : html`matches <code>${schema.pattern}</code>`,
    schema.additionalProperties === true ? html`further members allowed` : null,
  ].filter((rule) => rule !== null)
}

/** Which values there are. */
function valueRules(schema: Schema): Html[] {
  return [
    schema.enum === undefined
      ? null
      : html`${schema.enum.length === 1 ? 'always' : 'one of'} ${schema.enum.map(value)}`,
    schema.default === undefined ? null : html`default ${value(schema.default)}`,
    schema.examples?.[0] === undefined ? null : html`for example ${value(schema.examples[0])}`,
  ].filter((rule) => rule !== null)
}

const value = (one: unknown): Html => html`<code>${typeof one === 'string' ? one : JSON.stringify(one)}</code> `

const formatNames: Readonly<Record<string, string>> = {
  'date-time': 'a time, ISO 8601 in UTC',
  date: 'a day, YYYY-MM-DD',
  binary: 'the bytes of a file',
}

function rangeRule(min: number | undefined, max: number | undefined, unit: string): Html | null {
  const range =
    min === undefined
      ? max === undefined
        ? null
        : `at most ${max}`
      : max === undefined
        ? `at least ${min}`
        : min === max
          ? `${min}`
          : `${min} to ${max}`
  return range === null ? null : html`${range} ${unit}`
}
