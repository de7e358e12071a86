// The look of the few pages this server shows to people. Nothing is loaded from anywhere: works offline, leaks nothing.

import type { FastifyReply } from 'fastify'

/** Text that is already HTML. Made by `html`, which escapes everything else. */
export type Html = { readonly markup: string }

/** ``html`<p>${text}</p>` ``: values are escaped unless they are `Html` themselves; lists are joined. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  return { markup: parts.reduce((text, part, index) => text + markupOf(values[index - 1] ?? '') + part) }
}

function markupOf(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value))
  return 'markup' in value ? value.markup : value.map((item) => item.markup).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Our texts mark code by backticks. */
export function withCode(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** Only style of ours; a script only where a page has one, and then from here. */
function contentSecurityPolicy(scripts: "'none'" | "'self'"): string {
  return `default-src 'none'; script-src ${scripts}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/** What a browser is told with every page. */
export function pageHeaders(scripts: "'none'" | "'self'" = "'none'"): Record<string, string> {
  return { 'content-security-policy': contentSecurityPolicy(scripts), 'referrer-policy': 'no-referrer' }
}

/** Answers with a whole HTML document. */
export function sendDocument(reply: FastifyReply, title: string, content: Html): string {
  reply.type('text/html; charset=utf-8').headers(pageHeaders())
  // Where a page stands, a program gets JSON: a cache must not mix them up.
  reply.headers({ 'cache-control': 'public, max-age=300', vary: 'accept' })
  return documentOf({ title, content })
}

export type Page = { title: string; content: Html; aside?: Html; style?: string; script?: string }

/** A whole HTML document. `aside` stands before the content; `style` is added to the common one. */
export function documentOf({ title, content, aside, style: more = '', script }: Page): string {
  const main = html`<main id="main" tabindex="-1">${content}</main>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${{ markup: icon }}">
<style>${{ markup: style + more }}</style>${
    script === undefined
      ? ''
      : html`
<script src="${script}" defer></script>`
  }
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="/">${{ markup: mark }}Causeway</a>
<nav aria-label="Main"><a href="/docs">API reference</a><a href="/docs/errors">Errors</a></nav></header>
${aside ? html`<div class="page">${aside}${main}</div>` : main}
</body>
</html>
`.markup
}

const mark =
  '<svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true"><path d="M2 22h28M5 22v-4a5 5 0 0 1 10 0v4m2 0v-4a5 5 0 0 1 10 0v4M2 10h28" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round"/></svg>'
const icon = `data:image/svg+xml,${encodeURIComponent(mark.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ').replace('currentColor', '#1f6f63').replace(' aria-hidden="true"', ''))}`

const style = `
:root { --ink: #17211f; --soft: #56635f; --line: #dde4e1; --ground: #fbfcfb; --card: #fff; --accent: #1f6f63; --code: #eef3f1;
  font: 16px/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink); background: var(--ground); }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ecea; --soft: #9caaa6; --line: #2b3633; --ground: #121816; --card: #19211f;
  --accent: #6cc5b4; --code: #222d2a; } }
* { box-sizing: border-box; }
body { margin: 0; }
.skip { position: absolute; left: -100vw; top: .5rem; padding: .5rem .8rem; background: var(--card); border-radius: 6px; z-index: 1; }
.skip:focus { left: .5rem; }
main:focus { outline: 0; }
header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .25rem 1rem; padding: .9rem max(1.25rem, calc(50vw - 28.75rem));
  border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; gap: .55rem; align-items: center; font-weight: 650; color: var(--accent); text-decoration: none; }
nav { display: flex; gap: .5rem 1.25rem; }
header nav a { white-space: nowrap; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .75rem; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
p { max-width: 44rem; margin: .5rem 0; }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:has(> code) { text-decoration: none; }
a:hover > code { text-decoration: underline; text-underline-offset: .35em; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 3px; }
.lead { font-size: 1.15rem; color: var(--soft); }
code, pre { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { background: var(--code); padding: .12em .35em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--code); padding: 1rem 1.15rem; border-radius: 8px; overflow-x: auto; }
pre code { background: none; padding: 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1rem; margin: 1.5rem 0; padding: 0; list-style: none; }
.cards a { display: block; height: 100%; padding: 1.1rem 1.2rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  text-decoration: none; color: inherit; }
.cards a:hover { border-color: var(--accent); }
.cards strong { display: block; color: var(--accent); }
.cards span { color: var(--soft); font-size: .95rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .5rem 1.5rem; margin: 1.5rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
.jumps { flex-wrap: wrap; gap: .6rem .9rem; margin: 1.5rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
td, th { text-align: left; padding: .6rem .8rem .6rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 500; }
/* The columns of all tables stand under each other; on a narrow screen the meaning goes below its code. */
.codes { table-layout: fixed; }
.codes th:nth-child(1) { width: 4.5rem; } .codes th:nth-child(2) { width: 20rem; }
.codes code { overflow-wrap: normal; }
@media (max-width: 44rem) {
  .codes thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .codes tr { display: grid; grid-template-columns: 3.25rem 1fr; padding: .7rem 0; border-bottom: 1px solid var(--line); }
  .codes td { border: 0; padding: 0; }
  .codes td:nth-child(2) { overflow-x: auto; }
  .codes td:nth-child(3) { grid-column: 2; }
}
.status { font-variant-numeric: tabular-nums; color: var(--soft); }
`
