// An operation as Markdown: what its page says, for people's programs and assistants.
import { exampleOf, type Operation, resolved, type Schema } from './operations.ts'

/** Objects within objects within objects are left to the OpenAPI document. */
const depthMax = 3

export function operationMarkdown(operation: Operation): string {
  const { summary, description, method, path, parameters = [], requestBody, responses } = operation
  const parameterLines = parameters.map(resolved).map(({ name, in: place, required, description }) => {
    return line(0, name, [place, required ? 'required' : 'optional'], description)
  })
  const example = exampleOf(operation)
  const samples = (operation['x-codeSamples'] ?? []).map(
    ({ label, lang, source }) => `### ${label}\n\n${fenced(lang, source)}`,
  )
  const errors = Object.entries(operation['x-error-codes'] ?? {}).map(([status, codes]) => {
    return `- ${status}: ${codes.map((code) => `\`${code}\``).join(', ')}`
  })
  return [
    `# ${summary}`,
    fenced('http', `${method} ${path}`),
    description,
    ...section('Parameters', parameterLines),
    ...section('Request body', bodyFields(requestBody)),
    ...section('Response', bodyFields(responses['200'])),
    ...(example === null ? [] : [fenced('json', example)]),
    ...section('Errors', errors),
    ...(samples.length === 0 ? [] : ['## Samples', ...samples]),
  ]
    .filter((part) => part)
    .join('\n\n')
}

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`## ${title}`, lines.join('\n')]
const fenced = (lang: string, text: string) => `\`\`\`${lang}\n${text}\n\`\`\``

function bodyFields(body: Operation['requestBody']): string[] {
  const schema = Object.values(body?.content ?? {})[0]?.schema
  return schema ? fields(schema, 0) : []
}

function fields(schema: Schema, depth: number): string[] {
  const { properties = {}, required = [], items, anyOf = [] } = resolved(schema)
  if (depth === depthMax) return []
  if (items) return fields(items, depth)
  const own = Object.entries(properties).flatMap(([name, value]) => {
    const field = resolved(value)
    const facts = [typeOf(field), required.includes(name) ? 'required' : 'optional']
    return [line(depth, name, facts, value.description ?? field.description), ...fields(field, depth + 1)]
  })
  return [...own, ...anyOf.flatMap((part) => fields(part, depth))]
}

function typeOf({ type, enum: values, anyOf = [] }: Schema): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  const own = type === undefined ? [] : [type].flat()
  return [...own, ...anyOf.map((part) => typeOf(resolved(part)))].join(' | ') || 'any'
}

function line(depth: number, name: string, facts: readonly string[], description = ''): string {
  const about = description.replaceAll(/\s+/g, ' ')
  return `${'  '.repeat(depth)}- \`${name}\` (${facts.join(', ')})${about === '' ? '' : `: ${about}`}`
}
