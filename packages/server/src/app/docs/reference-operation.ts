// One operation, or one event, of the reference page: how it is called, what goes in, what comes out.

import { type Html, html, withCode } from '../../platform/http/pages/page.ts'
import { type Answer, type ApiDocument, type Operation, resolved, type Schema } from './reference-document.ts'
import { curlOf } from './reference-example.ts'
import { fieldsOf, parameterFields, typeOf, wholeSchema } from './reference-schema.ts'

export function operationSection(document: ApiDocument, method: string, path: string, operation: Operation): Html {
  const id = operation.operationId ?? ''
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${operation.summary}</a></h3>
<div class="sides"><div>
<p class="call"><span class="method ${method}">${method.toUpperCase()}</span> <code>${brokenPath(path)}</code></p>
<p class="auth">${credentialOf(operation)}</p>
${paragraphs(operation.description)}
${parameterParts(document, operation)}
${bodyPart(document, operation)}
${answersPart(document, operation)}
</div>
<div class="example"><h4>Example</h4>
<pre tabindex="0" aria-label="Example of ${operation.summary}"><code>${curlOf(document, method, path, operation)}</code></pre></div>
</div></section>
`
}

export function eventSection(type: string, operation: Operation): Html {
  const [when = ''] = (operation.description ?? '').split('\n\n')
  const content = operation.requestBody?.content['application/json']
  const data = content?.schema.properties?.['data'] ?? {}
  return html`<section class="operation" id="event-${type}" aria-labelledby="event-${type}-title">
<h3 id="event-${type}-title"><a href="#event-${type}"><code>${type}</code></a></h3>
<div class="sides"><div>
<p>${withCode(when)}</p>
<h4>Data</h4>
<p><code>data</code> is ${data.$ref === undefined ? 'an object:' : typeOf(data)}</p>
${data.$ref === undefined ? fieldsOf(data, 'got') : ''}
</div>
<div class="example"><details><summary>Example</summary>
<pre tabindex="0" aria-label="Example of ${type}"><code>${JSON.stringify(content?.example, null, 2)}</code></pre></details></div>
</div></section>
`
}

/** What all events carry beside their body, told once. */
export function eventHeaders(document: ApiDocument, operation: Operation): Html {
  return parameterFields((operation.parameters ?? []).map((one) => resolved(one, document.components.parameters)))
}

export function paragraphs(text: string | undefined): Html[] {
  return (text ?? '').split('\n\n').map((part) => (part === '' ? html`` : html`<p>${withCode(part)}</p>`))
}

/** On a narrow screen a path breaks before a slash. */
function brokenPath(path: string): Html[] {
  return path.split(/(?=\/)/).map((part) => html`<wbr>${part}`)
}

function credentialOf({ security }: Operation): Html {
  const [scheme, scopes = []] = Object.entries(security[0] ?? {})[0] ?? []
  if (scheme === 'operatorSecret') return html`Needs the operator secret`
  if (scheme !== 'businessKey') return html`Needs no credential of ours`
  if (scopes.length === 0) return html`Needs an API key`
  return html`Needs an API key with the scope ${scopes.map((scope) => html`<code>${scope}</code>`)}`
}

function parameterParts(document: ApiDocument, operation: Operation): Html[] {
  const parameters = (operation.parameters ?? []).map((one) => resolved(one, document.components.parameters))
  return (['path', 'query', 'header'] as const).map((place) => {
    const members = parameters.filter((one) => one.in === place)
    return members.length === 0 ? html`` : html`<h4>${placeNames[place]}</h4>${parameterFields(members)}`
  })
}

const placeNames = { path: 'In the path', query: 'In the query', header: 'Headers' } as const

function bodyPart(document: ApiDocument, { requestBody }: Operation): Html {
  if (!requestBody) return html``
  const [[type, { schema }] = ['', { schema: {} as Schema }], ...others] = Object.entries(requestBody.content)
  return html`<h4>Body</h4>
<p class="rules"><code>${type}</code>${others.map(([other]) => html` or <code>${other}</code>`)} · ${
    requestBody.required === true ? 'required' : 'may be left out'
  }</p>
${schema.$ref === undefined ? '' : html`<p>${typeOf(schema)}</p>`}
${wholeSchema(resolved(schema, document.components.schemas), 'sent')}
${others.map(([other, content]) => html`<h5>As <code>${other}</code></h5>${wholeSchema(content.schema, 'sent')}${otherParts(content.schema)}`)}`
}

function otherParts({ additionalProperties }: Schema): Html {
  if (typeof additionalProperties !== 'object') return html``
  return html`<p>Any other part: ${typeOf(additionalProperties)}, ${additionalProperties.format === 'binary' ? 'a file, named after its place' : ''}</p>`
}

function answersPart(document: ApiDocument, { responses }: Operation): Html {
  const answers = Object.entries(responses).map(
    ([status, answer]) => [status, resolved(answer, document.components.responses)] as const,
  )
  const good = answers.filter(([status]) => status.startsWith('2'))
  const bad = answers.filter(([status]) => !status.startsWith('2'))
  return html`<h4>Answers</h4>
${good.map(([status, answer]) => goodAnswer(status, answer))}
<details class="errors"><summary>Errors ${bad.map(([status]) => html`<span class="status">${status}</span> `)}</summary>
<dl>${bad.map(([status, answer]) => html`<dt>${status}</dt><dd>${answer.description ?? ''} ${codesOf(answer).map(codeLink)}</dd>`)}</dl></details>`
}

function goodAnswer(status: string, answer: Answer): Html {
  const schema = answer.content?.['application/json']?.schema
  const data = schema?.properties?.['data']
  if (!data) return html`<p><span class="status">${status}</span> ${answer.description ?? ''}</p>`
  const inner = data.items ?? data
  return html`<p><span class="status">${status}</span> <code>data</code> is ${typeOf(data)}</p>${inner.$ref === undefined ? fieldsOf(inner, 'got') : ''}`
}

/** The error codes of an answer stand in its schema beside the shape that all errors share. */
export function codesOf(answer: Answer): string[] {
  return Object.keys(answer.content?.['application/json']?.examples ?? {})
}

const codeLink = (code: string): Html => html`<a href="/docs/errors/${code}"><code>${code}</code></a> `
