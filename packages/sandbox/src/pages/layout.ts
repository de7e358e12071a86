// The frame of every page (head, sandbox strip, masthead), its headers, and the files that pages load.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'

type PageParts = {
  title: string
  main: Html
  /** Same-origin module scripts, by path. */
  scripts?: readonly string[]
  /** Style sheets in addition to the design system, by path. */
  styles?: readonly string[]
  /** Developer pages use the whole width and link to each other. Hosted pages are one column. */
  kind: 'hosted' | 'developer'
  /** The notice of a page with scripts where scripts are off, by default that it needs them. */
  withoutScript?: Html
}

const designSystem = ['/assets/foundation.css', '/assets/parts.css', '/assets/forms.css', '/assets/flows.css']

const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <rect width="32" height="32" rx="9"></rect>
  <path d="M8 20.5c3.2 0 4-9 8-9s4.8 9 8 9"></path><circle cx="16" cy="20.5" r="1.8"></circle></svg>`

const masthead = (kind: PageParts['kind']): Html =>
  kind === 'hosted'
    ? html`<header class="masthead"><span class="brand">${mark}Sandbox Provider</span></header>`
    : html`<header class="masthead"><a class="brand" href="/">${mark}Sandbox Provider</a>
        <nav aria-label="Main"><a href="/bank">Bank</a> <a href="/inbox">All inboxes</a></nav></header>`

const needsScript = html`<p class="notice warning">This page needs JavaScript to act on what you choose.</p>`

/** Renders the whole document as text. */
export const renderPage = ({ title, main, scripts = [], styles = [], kind, withoutScript }: PageParts): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Sandbox Provider</title>
<link rel="icon" type="image/svg+xml" href="/assets/mark.svg">
${[...designSystem, ...styles].map((href) => html`<link rel="stylesheet" href="${href}">`)}
${scripts.map((src) => html`<script type="module" src="${src}"></script>`)}
</head>
<body class="${kind}">
<p class="strip"><strong>Sandbox</strong> No real money, no real checks.</p>
${masthead(kind)}
<main>${main}</main>
${scripts.length > 0 && html`<noscript>${withoutScript ?? needsScript}</noscript>`}
</body>
</html>
`.text

/** Sends a developer page. It cannot be embedded, and its address is no secret, so that its forms can send their origin. */
export const sendDeveloperPage = (reply: FastifyReply, status: number, page: string): FastifyReply =>
  sendPage(reply.header('cross-origin-opener-policy', 'same-origin'), status, page, "'none'", 'same-origin')

/** @param frameAncestors CSP value: the embedding origins of hosted pages, `'none'` for developer pages */
export const sendPage = (
  reply: FastifyReply,
  status: number,
  page: string,
  frameAncestors: string,
  referrerPolicy: 'no-referrer' | 'same-origin' = 'no-referrer',
): FastifyReply =>
  reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        `frame-ancestors ${frameAncestors}`,
      ].join('; '),
      // The address of a hosted page has the link's token, which must reach neither a redirect's target nor a cache.
      'referrer-policy': referrerPolicy,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(page)

/** Renders a page with one message, such as an unknown link, and at most a link back. */
export const messagePage = (message: {
  title: string
  text: string
  hint: string
  back?: { href: string; label: string }
}): string =>
  renderPage({
    title: message.title,
    kind: 'hosted',
    main: html`<section class="card result">
      <span class="emblem warning" aria-hidden="true"></span>
      <h1>${message.title}</h1>
      <p>${message.text}</p>
      <p class="muted">${message.hint}</p>
      ${message.back && html`<p class="actions"><a class="button" href="${message.back.href}">${message.back.label}</a></p>`}
    </section>`,
  })

/** The page of a hosted link with an unknown token. */
export const unknownLink = messagePage({
  title: 'This link is not known',
  text: 'The link may be incomplete, or the sandbox was reset after it was made.',
  hint: 'Go back to the application that sent you here and ask for a new link.',
})

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Serves `files` of `directory` as `/assets/<file>`, each read once and with an ETag. */
export const serveAssets = (app: FastifyInstance, directory: string, files: readonly string[]): void => {
  for (const file of files) {
    const content = readFileSync(join(directory, file))
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
    app.get(`/assets/${file}`, (request, reply) => {
      reply.headers({
        etag,
        'content-type': mediaTypes[extname(file)] ?? 'application/octet-stream',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      })
      return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(content)
    })
  }
}
