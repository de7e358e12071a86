// The layout of the few pages that this server renders. Loads no external resources: works offline, leaks nothing.

import type { FastifyReply } from 'fastify'

/** Text that is already HTML. Created by `html`, which escapes everything else. */
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

/** Backticks in our texts mark code. */
export function withCode(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** Headers of every page: only inline style, no script. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/**
 * Renders a whole HTML document and sets its headers. The same URL returns JSON to programs, so a cache must keep the
 * two apart.
 */
export function sendDocument(reply: FastifyReply, title: string, content: Html): string {
  reply.type('text/html; charset=utf-8').headers(pageHeaders)
  reply.headers({ 'cache-control': 'public, max-age=300', vary: 'accept' })
  return documentOf(title, content)
}

const markSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true">' +
  '<rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M4 20h24M7 20v-4a4.5 4.5 0 0 1 9 0v4m0-4a4.5 4.5 0 0 1 9 0v4" ' +
  'fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>'

function documentOf(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(markSvg)}">
<style>${{ markup: style }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><nav aria-label="Main"><a class="home" href="/">${{ markup: markSvg }} Causeway</a> <a href="/console/">Console</a> <a href="/docs/">Docs</a></nav></header>
<main id="main" tabindex="-1">${content}</main>
</body>
</html>
`.markup
}

// The colours of the console (packages/console/src/styles.css), light or dark.
const style = `
:root { color-scheme: light dark; --canvas: oklch(0.985 0.002 220); --surface: #fff; --soft: oklch(0.965 0.004 220); --line: oklch(0.905 0.006 220);
  --ink: oklch(0.24 0.015 230); --muted: oklch(0.47 0.016 230); --accent: oklch(0.47 0.085 190);
  font: 15px/1.55 ui-sans-serif, system-ui, sans-serif; background: var(--canvas); color: var(--ink); }
@media (prefers-color-scheme: dark) {
  :root { --canvas: oklch(0.185 0.012 230); --surface: oklch(0.22 0.014 230); --soft: oklch(0.26 0.015 230); --line: oklch(0.315 0.016 230);
    --ink: oklch(0.95 0.005 220); --muted: oklch(0.74 0.014 220); --accent: oklch(0.78 0.1 190); }
}
body { margin: 0; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: .5rem; background: var(--surface); }
header { padding: .7rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--surface); }
header nav { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.25rem; max-width: 60rem; margin: auto; }
header a { color: var(--muted); text-decoration: none; }
header a:hover { color: var(--ink); text-decoration: underline; }
header .home { display: inline-flex; align-items: center; gap: .6rem; color: var(--ink); font-weight: 600; font-size: 1.05rem; margin-right: auto; }
header svg { width: 1.9rem; height: 1.9rem; }
main { max-width: 60rem; margin: auto; padding: 1.5rem 1.25rem 4rem; overflow-wrap: anywhere; }
main:focus { outline: 0; }
main > nav a { margin-right: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; letter-spacing: -.012em; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; }
.intro { max-width: 40rem; color: var(--muted); font-size: 1.05rem; }
code, pre { font: .9em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--soft); border-radius: 4px; }
code { padding: .1em .3em; }
pre { padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .5rem .8rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { white-space: nowrap; }
.codes code { overflow-wrap: normal; }
dt { font-weight: 600; }
.doors { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .9rem; padding: 0; list-style: none; }
.doors a { display: grid; align-content: start; gap: .3rem; height: 100%; box-sizing: border-box; padding: 1rem 1.1rem; border: 1px solid var(--line);
  border-radius: 8px; background: var(--surface); text-decoration: none; color: var(--muted); }
.doors a:hover { border-color: var(--accent); }
.doors b { color: var(--accent); font-size: 1.05rem; font-weight: 600; }
.lost { display: grid; justify-items: start; gap: .4rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); }
.lost h1, .lost p { margin: 0; }
@media (max-width: 56rem) {
  .codes thead { position: absolute; left: -100vw; }
  .codes tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .codes td { display: block; border: 0; padding: 0; overflow-x: auto; }
}
`
