// The API reference: one page, made from the OpenAPI document once, whole without a script. The script adds a filter.

import { documentOf, type Html, html, withCode } from '../../platform/http/pages/page.ts'
import {
  type Answer,
  type ApiDocument,
  type Operation,
  parametersOf,
  resolved,
  withEnumerationsInPlace,
} from './reference-document.ts'
import { curlOf } from './reference-example.ts'
import { fieldsOf, parameterFields, typeOf, wholeSchema } from './reference-fields.ts'

type Call = { method: string; path: string; operation: Operation }

/** Renders the whole reference page. */
export function referencePage(described: ApiDocument): string {
  const document = withEnumerationsInPlace(described)
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Call => ({ method, path, operation })),
  )
  const byTag = document.tags.map((tag) => ({
    ...tag,
    anchor: `tag-${tag.name.toLowerCase().replaceAll(' ', '-')}`,
    calls: calls.filter(({ operation }) => operation.tags[0] === tag.name),
  }))
  return documentOf({
    title: 'API reference · Causeway',
    script: '/docs/reference.js',
    aside: html`<nav class="index" aria-label="Index">
<p class="filter" hidden><label for="filter">Filter</label> <input id="filter" type="search" autocomplete="off" spellcheck="false">
<span role="status"></span></p>
<ul>${byTag.map((tag) => group(tag.anchor, tag.name, tag.calls.map(callEntry)))}
${group(
  'events-sent',
  'Events we send',
  Object.keys(document.webhooks).map((type) => entry(`event-${type}`, broken(type))),
)}
${group(
  'objects',
  'Objects',
  Object.keys(document.components.schemas).map((name) => entry(`object-${name}`, html`${name}`)),
)}
</ul></nav>`,
    content: html`${introduction(document)}
${byTag.map(
  ({
    anchor,
    name,
    description,
    calls: members,
  }) => html`<section aria-labelledby="${anchor}"><h2 id="${anchor}">${name}</h2>
${paragraphs(description)}
${members.map((call) => operationSection(document, call))}</section>
`,
)}
${events(document)}
${objects(document)}`,
  })
}

const entry = (anchor: string, text: Html, title = ''): Html =>
  html`<li><a href="#${anchor}" title="${title}">${text}</a></li>
`

function group(anchor: string, title: string, entries: readonly Html[]): Html {
  return html`<li class="group"><a href="#${anchor}">${title}</a><ul>${entries}</ul></li>
`
}

function callEntry({ method, path, operation }: Call): Html {
  return entry(operation.operationId ?? '', html`${operation.summary}`, `${method.toUpperCase()} ${path}`)
}

/** Lets a long path or type of event break on a narrow screen, at its slashes or dots. */
function broken(text: string): Html {
  return html`${text.split(/(?<=[./_])/).map((part) => html`${part}<wbr>`)}`
}

function introduction({ info }: ApiDocument): Html {
  const [lead = '', ...rest] = info.description.split(/\n+/)
  return html`<h1>${info.title}</h1>
<p>${withCode(lead)}</p>
${rest.map((line) => html`<p>${withCode(line)}</p>`)}
<p>The examples read where to call and who you are from two variables. The same as a document for programs: <a href="/v0/openapi.json">OpenAPI</a>.</p>
<pre><code>export CAUSEWAY_URL=http://127.0.0.1:8080
export API_KEY=svc_test_…</code></pre>`
}

function paragraphs(text = ''): Html[] {
  return text.split('\n\n').map((part) => (part === '' ? html`` : html`<p>${withCode(part)}</p>`))
}

function section(id: string, title: Html, content: Html): Html {
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${title}</a></h3>
${content}</section>
`
}

function example(text: string): Html {
  return html`<details><summary>Example</summary><pre tabindex="0"><code>${text}</code></pre></details>`
}

function operationSection(document: ApiDocument, { method, path, operation }: Call): Html {
  const content = html`<p><strong>${method.toUpperCase()}</strong> <code>${broken(path)}</code></p>
<p>${credentialOf(operation)}</p>
${paragraphs(operation.description)}
${parameterParts(document, operation)}
${bodyPart(document, operation)}
${answersPart(document, operation)}
${example(curlOf(document, method, path, operation))}`
  return section(operation.operationId ?? '', html`${operation.summary}`, content)
}

function credentialOf({ security }: Operation): Html {
  const [scheme, scopes = []] = Object.entries(security[0] ?? {})[0] ?? []
  if (scheme === 'operatorSecret') return html`Needs the operator secret`
  if (scheme !== 'businessKey') return html`Needs no credential of ours`
  if (scopes.length === 0) return html`Needs an API key`
  return html`Needs an API key with the scope ${scopes.map((scope) => html`<code>${scope}</code>`)}`
}

const placeNames = { path: 'In the path', query: 'In the query', header: 'Headers' } as const

function parameterParts(document: ApiDocument, operation: Operation): Html[] {
  return (['path', 'query', 'header'] as const).map((place) => {
    const members = parametersOf(document, operation).filter((one) => one.in === place)
    return members.length === 0 ? html`` : html`<h4>${placeNames[place]}</h4>${parameterFields(members)}`
  })
}

function bodyPart(document: ApiDocument, { requestBody }: Operation): Html {
  if (!requestBody) return html``
  return html`<h4>Body, ${requestBody.required === true ? 'required' : 'may be left out'}</h4>
${Object.entries(requestBody.content).map(
  ([type, { schema }]) => html`<p><code>${type}</code> ${schema.$ref === undefined ? '' : typeOf(schema)}</p>
${wholeSchema(resolved(schema, document.components.schemas), 'sent')}`,
)}`
}

function answersPart(document: ApiDocument, { responses, 'x-error-codes': codes }: Operation): Html {
  return html`<h4>Answers</h4>
<dl>${Object.entries(responses).map(([status, given]) => {
    const answer = resolved(given, document.components.responses)
    return html`<dt>${status}</dt><dd>${answer.description ?? ''} ${answerPart(document, answer, codes[status] ?? [])}</dd>
`
  })}</dl>`
}

function answerPart({ components }: ApiDocument, { content }: Answer, errorCodes: readonly string[]): Html {
  const data = resolved(content?.['application/json']?.schema ?? {}, components.schemas).properties?.['data']
  if (!data) return html`${errorCodes.map((code) => html`<a href="/docs/errors/${code}"><code>${code}</code></a> `)}`
  return html`<code>data</code> is ${typeOf(data)}${fieldsOf(data.items ?? data, 'got')}`
}

function events({ webhooks, components }: ApiDocument): Html {
  const sent = Object.entries(webhooks)
  const headers = (sent[0]?.[1].post.parameters ?? []).map((one) => resolved(one, components.parameters))
  const [, ...told] = (sent[0]?.[1].post.description ?? '').split('\n\n')
  return html`<section aria-labelledby="events-sent"><h2 id="events-sent">Events we send</h2>
<p>Each is sent as a <code>POST</code> to your webhook URL; the provider’s own events come the same way, as they are. ${withCode(told.join(' '))}</p>
<h3>Headers of every delivery</h3>
${parameterFields(headers)}
${sent.map(([type, { post }]) => {
  const [when = ''] = (post.description ?? '').split('\n\n')
  const content = post.requestBody?.content['application/json']
  const body = resolved(content?.schema ?? {}, components.schemas)
  const data = body.properties?.['data'] ?? {}
  return section(
    `event-${type}`,
    html`<code>${type}</code>`,
    html`<p>${withCode(when)}</p><p><code>data</code> is ${typeOf(data)}</p>${fieldsOf(data, 'got')}
${example(JSON.stringify(content?.example, null, 2))}`,
  )
})}</section>
`
}

function objects({ components }: ApiDocument): Html {
  return html`<section aria-labelledby="objects"><h2 id="objects">Objects</h2>
${Object.entries(components.schemas).map(([name, schema]) => section(`object-${name}`, html`${name}`, wholeSchema(schema, 'got')))}</section>`
}

/** Filters the index. Without it the index is whole, and the browser's own search finds everything. */
export const referenceScript = `const [box] = document.getElementsByClassName('filter')
const [input, status] = [box.querySelector('input'), box.querySelector('[role=status]')]
box.hidden = false
input.addEventListener('input', () => {
  const words = input.value.toLowerCase().split(/\\s+/)
  let shown = 0
  for (const group of document.querySelectorAll('.index .group')) {
    group.hidden = true
    for (const entry of group.querySelectorAll('li')) {
      const link = entry.querySelector('a')
      const text = (link.textContent + ' ' + link.title + ' ' + link.hash).toLowerCase()
      entry.hidden = !words.every((word) => text.includes(word))
      if (entry.hidden) continue
      group.hidden = false
      shown += 1
    }
  }
  status.textContent = input.value === '' ? '' : shown === 0 ? 'Nothing fits' : shown + (shown === 1 ? ' entry' : ' entries')
})
`
