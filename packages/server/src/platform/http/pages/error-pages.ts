// The pages that `docUrl` of an error opens, written from the catalogue.

import {
  catalogue,
  categoryOf,
  type ErrorCategory,
  type ErrorCode,
  errorBody,
  fail,
  isRetryable,
} from '../../errors.ts'
import { didYouMean } from '../../values/did-you-mean.ts'
import { type Html, html, withCode } from './page.ts'

const codes = Object.keys(catalogue) as ErrorCode[]

export function errorList(): Html {
  const groups = Map.groupBy(codes, (code) => categoryOf(catalogue[code].status))
  return html`<h1>Errors</h1>
<p>Every error has one of these codes. Codes never change; messages may.</p>
<p>Check the HTTP status first, then <code>error.code</code>. Retry only errors with <code>retryable</code>, after the time in <code>Retry-After</code>.</p>
<nav aria-label="Categories">${[...groups.keys()].map(
    (category) => html`<a href="#${category}"><code>${category}</code></a> `,
  )}</nav>
${[...groups].map(([category, members]) => categoryTable(category, members))}`
}

function categoryTable(category: ErrorCategory, members: readonly ErrorCode[]): Html {
  return html`<h2 id="${category}"><code>${category}</code></h2>
<table class="codes"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${members.map(
    (code) => html`<tr><td>${catalogue[code].status}</td>
<td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${withCode(catalogue[code].message)}</td></tr>
`,
  )}</tbody></table>`
}

export function errorPage(code: ErrorCode): Html {
  const { status, message, resolution } = catalogue[code]
  return html`<p><a href="/docs/errors">Errors</a></p>
<h1>${code}</h1>
<p>${withCode(message)}</p>
<dl><dt>HTTP status</dt><dd>${status}</dd>
<dt>Category</dt><dd><a href="/docs/errors#${categoryOf(status)}"><code>${categoryOf(status)}</code></a></dd>
<dt>Retryable</dt><dd>${isRetryable(code) ? 'Yes, after the time in Retry-After' : 'No: change the request first'}</dd></dl>
<h2>What to do</h2>
<p>${withCode(resolution)}</p>
<h2>As it arrives</h2>
<pre><code>${JSON.stringify(exampleBody(code), null, 2)}</code></pre>`
}

/** @param code as the caller wrote it: only a known code that is near is shown */
export function unknownCodePage(code: string): Html {
  const near = didYouMean(code, codes)
  return html`<h1>No such error</h1>
<p>No error has this code.</p>
${near === undefined ? '' : html`<p>Did you mean <a href="/docs/errors/${near}"><code>${near}</code></a>?</p>`}
<p><a href="/docs/errors">All errors</a></p>`
}

/** The page of an unknown path, for a person who followed a link; a program gets JSON. */
export function noSuchPage(): Html {
  return html`<div class="lost"><h1>Page not found</h1>
<p>Check the URL, or continue from one of these pages.</p>
<p><a href="/console/">Console</a> · <a href="/docs/">Docs</a> · <a href="/docs/errors">All errors</a></p></div>`
}

/** Creates the body of an error, with an example request ID. */
export function exampleBody(code: ErrorCode, docsUrl = '/docs'): object {
  return errorBody(fail(code), { requestId: 'req_3k9x0v7c5m2p8q4r6s1t0w9y3z', docsUrl })
}
