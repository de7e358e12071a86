// The API reference: one page, made from the OpenAPI document once, whole without a script. The script adds a filter.

import { documentOf, type Html, html, withCode } from '../../platform/http/pages/page.ts'
import { type ApiDocument, nameOf } from './reference-document.ts'
import { eventHeaders, eventSection, operationSection, paragraphs } from './reference-operation.ts'
import { wholeSchema } from './reference-schema.ts'
import { referenceStyle } from './reference-style.ts'

type Call = { method: string; path: string; tag: string }

export function referencePage(document: ApiDocument): string {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { tags }]): Call => ({ method, path, tag: tags[0] ?? '' })),
  )
  return documentOf({
    title: 'API reference · Causeway',
    style: referenceStyle,
    script: '/docs/reference.js',
    aside: index(document, calls),
    content: html`${introduction(document)}
${document.tags.map((tag) => tagSection(document, tag, calls))}
${events(document)}
${objects(document)}`,
  })
}

const anchorOf = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`

function index(document: ApiDocument, calls: readonly Call[]): Html {
  const group = (anchor: string, title: string, entries: readonly Html[]): Html =>
    html`<li class="group"><a href="#${anchor}">${title}</a><ul>${entries}</ul></li>
`
  return html`<nav class="index" aria-label="Index">
<p class="filter" hidden><label for="filter">Filter</label> <input id="filter" type="search" autocomplete="off" spellcheck="false">
<span role="status"></span></p>
<ul>${document.tags.map(({ name }) =>
    group(
      anchorOf(name),
      name,
      calls
        .filter(({ tag }) => tag === name)
        .map(({ method, path }) => {
          const operation = document.paths[path]?.[method]
          return html`<li><a href="#${operation?.operationId ?? ''}" title="${method.toUpperCase()} ${path}"><span class="method ${method}">${method.toUpperCase()}</span> ${operation?.summary ?? ''}</a></li>
`
        }),
    ),
  )}
${group(
  'events-sent',
  'Events we send',
  Object.keys(document.webhooks).map((type) => html`<li><a href="#event-${type}">${brokenType(type)}</a></li>`),
)}
${group(
  'objects',
  'Objects',
  Object.keys(document.components.schemas).map((name) => html`<li><a href="#object-${name}">${name}</a></li>`),
)}
</ul></nav>`
}

/** A long type of event breaks behind a dot. */
function brokenType(type: string): Html[] {
  return type.split(/(?<=[._])/).map((part) => html`${part}<wbr>`)
}

function introduction({ info }: ApiDocument): Html {
  const [lead = '', ...rest] = info.description.split('\n\n')
  return html`<h1>${info.title}</h1>
<p class="lead">${withCode(lead)}</p>
${rest
  .join('\n\n')
  .split(/\n+/)
  .map((line) => html`<p>${withCode(line)}</p>`)}
<p>The examples read where to call and who you are from two variables. The same as a document for programs: <a href="/v0/openapi.json">OpenAPI</a>.</p>
<pre><code>export CAUSEWAY_URL=http://localhost:8080
export API_KEY=svc_test_…</code></pre>`
}

function tagSection(
  document: ApiDocument,
  { name, description }: ApiDocument['tags'][number],
  calls: readonly Call[],
): Html {
  return html`<section aria-labelledby="${anchorOf(name)}">
<h2 id="${anchorOf(name)}">${name}</h2>
${paragraphs(description)}
${calls
  .filter(({ tag }) => tag === name)
  .flatMap(({ method, path }) => {
    const operation = document.paths[path]?.[method]
    return operation ? [operationSection(document, method, path, operation)] : []
  })}</section>
`
}

function events(document: ApiDocument): Html {
  const sent = Object.entries(document.webhooks)
  const [first] = sent
  return html`<section aria-labelledby="events-sent"><h2 id="events-sent">Events we send</h2>
<p>Each is sent as a <code>POST</code> to your webhook URL; the provider’s own events come the same way, as they are. ${withCode((first?.[1].post.description ?? '').split('\n\n').slice(1).join(' '))}</p>
<h3>Headers of every delivery</h3>
${first ? eventHeaders(document, first[1].post) : ''}
${sent.map(([type, { post }]) => eventSection(type, post))}</section>
`
}

function objects(document: ApiDocument): Html {
  const sent = objectsSent(document)
  return html`<section aria-labelledby="objects"><h2 id="objects">Objects</h2>
${Object.entries(document.components.schemas).map(
  ([name, schema]) => html`<section class="operation" id="object-${name}" aria-labelledby="object-${name}-title">
<h3 id="object-${name}-title"><a href="#object-${name}">${name}</a></h3>
${wholeSchema(schema, sent.has(name) ? 'sent' : 'got')}</section>
`,
)}</section>`
}

/** Names of the objects that stand in the body of a request, at any depth. */
function objectsSent({ paths, components }: ApiDocument): ReadonlySet<string> {
  const names = new Set<string>()
  const follow = (part: unknown): void => {
    for (const [reference] of (JSON.stringify(part) ?? '').matchAll(/#\/components\/schemas\/\w+/g)) {
      const name = nameOf(reference)
      if (names.has(name)) continue
      names.add(name)
      follow(components.schemas[name])
    }
  }
  for (const item of Object.values(paths)) for (const { requestBody } of Object.values(item)) follow(requestBody)
  return names
}

/** Filters the index. Without it the index is whole, and the browser's own search finds everything. */
export const referenceScript = `const box = document.querySelector('.filter')
const input = box.querySelector('input')
const status = box.querySelector('[role=status]')
const groups = [...document.querySelectorAll('.index .group')].map((group) => ({
  group,
  entries: [...group.querySelectorAll('li')].map((entry) => {
    const link = entry.querySelector('a')
    return { entry, text: (link.textContent + ' ' + link.title + ' ' + link.hash).toLowerCase() }
  }),
}))
box.hidden = false
input.addEventListener('input', () => {
  const words = input.value.toLowerCase().split(/\\s+/)
  let shown = 0
  for (const { group, entries } of groups) {
    let any = false
    for (const { entry, text } of entries) {
      const fits = words.every((word) => text.includes(word))
      entry.hidden = !fits
      any ||= fits
      shown += fits ? 1 : 0
    }
    group.hidden = !any
  }
  status.textContent = input.value === '' ? '' : shown === 0 ? 'Nothing fits' : shown + (shown === 1 ? ' entry' : ' entries')
})
`
