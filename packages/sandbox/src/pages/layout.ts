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
}

const styles = ['/assets/foundation.css', '/assets/parts.css', '/assets/flows.css']

const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <rect width="32" height="32" rx="8"></rect>
  <path d="M4 20h24M7 20v-4a4.5 4.5 0 0 1 9 0v4m0-4a4.5 4.5 0 0 1 9 0v4"></path></svg>`

const needsScript = html`<p class="notice warning">This page requires JavaScript.</p>`

/** Renders the whole document as text. */
export const renderPage = ({ title, main, scripts = [] }: PageParts): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Sandbox Provider</title>
<link rel="icon" type="image/svg+xml" href="/assets/mark.svg">
${styles.map((href) => html`<link rel="stylesheet" href="${href}">`)}
${scripts.map((src) => html`<script type="module" src="${src}"></script>`)}
</head>
<body>
<p class="strip"><strong>Sandbox</strong> No real money, no real checks.</p>
<header class="masthead"><span class="brand">${mark}Sandbox Provider</span></header>
<main>${main}</main>
${scripts.length > 0 && html`<noscript>${needsScript}</noscript>`}
</body>
</html>
`.text

/** @param frameAncestors CSP value: the embedding origins, or `'none'` */
export const sendPage = (reply: FastifyReply, status: number, page: string, frameAncestors: string): FastifyReply =>
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
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(page)

/** Renders a page with one message, such as an unknown link. */
export const messagePage = (message: { title: string; text: string; hint: string }): string =>
  renderPage({
    title: message.title,
    main: html`<section class="card result">
      <span class="emblem warning" aria-hidden="true"></span>
      <h1>${message.title}</h1>
      <p>${message.text}</p>
      <p class="muted">${message.hint}</p>
    </section>`,
  })

/** The page of a hosted link with an unknown token. */
export const unknownLink = messagePage({
  title: 'Link not found',
  text: 'The link may be incomplete, or the sandbox was reset after the link was created.',
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
