// The OpenAPI document as the reference shows it: without what the component of the samples shows beside it, each operation with
// its own error codes instead of the catalogue, and what a value must not be in words.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** On every response: the page about requests describes them. */
const commonHeaders = new Set(['X-Request-Id', 'RateLimit-Policy', 'RateLimit'])

/** Writes the document for the reference below `.astro`. @returns the path of the file */
export function referenceDocument(base) {
  const source = new URL('../../packages/server/openapi.json', import.meta.url)
  const target = fileURLToPath(new URL('../.astro/reference.json', import.meta.url))
  const document = JSON.parse(readFileSync(source, 'utf8'), readable)
  delete document.servers
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    operation.responses = responsesOf(operation, base)
    delete operation['x-codeSamples']
    for (const media of Object.values(operation.requestBody?.content ?? {})) delete media.example
  }
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, JSON.stringify(document))
  return target
}

/** Says in the description of a schema what `not` forbids: the reference would list it as what is allowed. */
function readable(_key, schema) {
  if (!Array.isArray(schema?.not?.enum)) return schema
  const { not, description, ...rest } = schema
  const forbidden = `${not.enum.map((value) => `\`${value}\``).join(' and ')} are not allowed.`
  return { ...rest, description: [description, forbidden].filter((part) => part).join(' ') }
}

function responsesOf({ responses, 'x-error-codes': codes = {} }, base) {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const shown = Object.fromEntries(successes.map(([status, response]) => [status, withoutExamples(response)]))
  const errors = Object.entries(codes)
  if (errors.length === 0) return shown
  const code = (name) => `[\`${name}\`](${base}/reference/errors/#${name})`
  const lines = errors.map(([status, names]) => {
    const about = responses[status]?.description?.replace(/:.*$/s, '') ?? ''
    return `- **${status}** ${about}: ${names.map(code).join(', ')}`
  })
  const count = errors.flatMap(([, names]) => names).length
  const summary = `<summary>${count} error codes</summary>`
  return { ...shown, Errors: { description: `<details>${summary}\n\n${lines.join('\n')}\n\n</details>` } }
}

function withoutExamples({ headers = {}, content = {}, ...response }) {
  const bare = ({ example: _example, examples: _examples, ...media }) => media
  return {
    ...response,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !commonHeaders.has(name))),
    content: Object.fromEntries(Object.entries(content).map(([type, media]) => [type, bare(media)])),
  }
}
