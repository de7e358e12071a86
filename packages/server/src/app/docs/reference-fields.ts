// Fields of the reference page: each with its type, whether it is required, what it may be, and what is inside it.

import { type Html, html, withCode } from '../../platform/http/pages/page.ts'
import { nameOf, type Parameter, type Schema, typesOf } from './reference-document.ts'

/** Of what callers send the required members are marked, of what they get the optional ones: most are always there. */
export type Direction = 'sent' | 'got'

/** Renders the members of an object with all that is inside them. Named objects are linked. */
export function fieldsOf(schema: Schema, direction: Direction): Html {
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) return html``
  const isRequired = (name: string) => schema.required?.includes(name) ?? false
  return html`<ul class="fields">${members.map(([name, member]) => field(name, member, isRequired(name), direction))}</ul>`
}

export function parameterFields(parameters: readonly Parameter[]): Html {
  return html`<ul class="fields">${parameters.map(({ name, required = false, description, schema, example }) => {
    const more = { ...(description && { description }), ...(example !== undefined && { examples: [example] }) }
    return field(name, { ...schema, ...more }, required, 'sent')
  })}</ul>`
}

function field(name: string, schema: Schema, isRequired: boolean, direction: Direction): Html {
  const inside = schema.items ?? schema
  const [required, optional] = [html` <strong class="required">required</strong>`, html` <em>may be absent</em>`]
  const mark = direction === 'sent' ? isRequired && required : !isRequired && optional
  return html`<li><p><code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>${mark || ''}</p>
${schema.description === undefined ? '' : html`<p>${withCode(schema.description)}</p>`}
${rulesOf(schema)}${inside === schema ? '' : rulesOf(inside)}
${fieldsOf(inside, direction)}</li>
`
}

/** Renders a schema that stands by itself: its description and rules, then its fields. */
export function wholeSchema(schema: Schema, direction: Direction): Html {
  const description = schema.description === undefined ? '' : html`<p>${withCode(schema.description)}</p>`
  const choice = schema.anyOf === undefined ? '' : html`<p>${typeOf(schema)}</p>`
  return html`${description}${choice}${rulesOf(schema)}${fieldsOf(schema.items ?? schema, direction)}`
}

/** Renders a type: `string`, `list of integer`, `Deposit or null`, with links to named objects. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) return html`<a href="#object-${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`
  if (schema.anyOf) return joined(schema.anyOf.map(typeOf), ' or ')
  if (schema.items === undefined) return html`${typesOf(schema).join(' or ')}`
  return html`list of ${typeOf(schema.items)}${typesOf(schema).includes('null') ? ' or null' : ''}`
}

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? '' : between}${part}`)}`
}

function rulesOf(schema: Schema): Html {
  const { enum: words, default: fallback, examples = [], pattern, format } = schema
  const rules = [
    rangeRule(schema.minLength, schema.maxLength, 'characters'),
    rangeRule(schema.minimum, schema.maximum, ''),
    rangeRule(schema.minItems, schema.maxItems, 'items'),
    rangeRule(schema.minProperties, schema.maxProperties, 'members'),
    schema.uniqueItems && html`each once`,
    format && html`${formatNames[format] ?? format}`,
    // Every text of ours forbids control characters; only a pattern that says more is worth reading.
    pattern && !pattern.includes('\\x00') && html`matches <code>${pattern}</code>`,
    schema.additionalProperties === true && html`further members allowed`,
    words && html`${words.length === 1 ? 'always' : 'one of'} ${words.map(value)}`,
    fallback !== undefined && html`default ${value(fallback)}`,
    examples[0] !== undefined && html`for example ${value(examples[0])}`,
  ].filter((rule) => typeof rule === 'object')
  return rules.length === 0 ? html`` : html`<p class="rules">${joined(rules, ' · ')}</p>`
}

const value = (one: unknown): Html => html`<code>${typeof one === 'string' ? one : JSON.stringify(one)}</code> `

const formatNames: Readonly<Record<string, string>> = {
  'date-time': 'a time, ISO 8601 in UTC',
  date: 'a day, YYYY-MM-DD',
  binary: 'the bytes of a file',
}

function rangeRule(min: number | undefined, max: number | undefined, unit: string): Html | undefined {
  if (min === undefined && max === undefined) return undefined
  if (min === undefined) return html`at most ${max ?? ''} ${unit}`
  if (max === undefined) return html`at least ${min} ${unit}`
  return html`${min === max ? min : `${min} to ${max}`} ${unit}`
}
