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

/** What a browser is told with every page: only style of ours, and no script. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** Renders a whole HTML document and sets its headers. Where a page stands, a program gets JSON: a cache must not mix them up. */
export function sendDocument(reply: FastifyReply, title: string, content: Html): string {
  reply.type('text/html; charset=utf-8').headers(pageHeaders)
  reply.headers({ 'cache-control': 'public, max-age=300', vary: 'accept' })
  return documentOf(title, content)
}

function documentOf(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${{ markup: style }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><nav aria-label="Main"><a href="/">Causeway</a> <a href="/console">Console</a> <a href="/docs/">Documentation</a> <a href="/docs/errors">Errors</a></nav></header>
<main id="main" tabindex="-1">${content}</main>
</body>
</html>
`.markup
}

// Colours are the browser's own, light or dark.
const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); --soft: color-mix(in srgb, currentColor 7%, transparent);
  font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: .5rem; background: Canvas; }
header { padding: .8rem 1.25rem; border-bottom: 1px solid var(--line); }
nav a { margin-right: 1rem; }
main { max-width: 60rem; padding: 1rem 1.25rem 4rem; overflow-wrap: anywhere; }
main:focus { outline: 0; }
h1 { overflow-wrap: anywhere; }
code, pre { font: .9em/1.5 ui-monospace, monospace; background: var(--soft); border-radius: 4px; }
code { padding: .1em .3em; }
pre { padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .5rem .8rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { white-space: nowrap; }
.codes code { overflow-wrap: normal; }
dt { font-weight: 600; }
.doors { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: .8rem; padding: 0; list-style: none; }
.doors a { display: grid; align-content: start; gap: .3rem; height: 100%; box-sizing: border-box; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: 8px; text-decoration: none; color: inherit; }
.doors a:hover { background: var(--soft); }
.doors b { font-size: 1.1em; text-decoration: underline; }
@media (max-width: 56rem) {
  .codes thead { position: absolute; left: -100vw; }
  .codes tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .codes td { display: block; border: 0; padding: 0; overflow-x: auto; }
}
`
