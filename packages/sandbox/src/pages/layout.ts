// Owns the frame around every page (head, sandbox strip, masthead) and the headers that every page is sent with.
import type { FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'

export type PageParts = {
  title: string
  main: Html
  /** Same-origin module scripts, by path. */
  scripts?: readonly string[]
  /** Style sheets beside the design system, by path. */
  styles?: readonly string[]
  /** Developer pages use the whole width and link to each other; hosted pages are one quiet column. */
  kind: 'hosted' | 'developer'
  /** What a page with scripts says where they do not run; by default that it needs them. */
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

/** The whole document as text. */
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

/** A page of the developer's: embeds nowhere. Its address is no secret, and a form on it must tell its origin. */
export const sendDeveloperPage = (reply: FastifyReply, status: number, page: string): FastifyReply =>
  sendPage(reply.header('cross-origin-opener-policy', 'same-origin'), status, page, "'none'", 'same-origin')

/** `frameAncestors` is the CSP value: the embedding origins for hosted pages, `'none'` for developer pages. */
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
      // A hosted page's address carries the link's token: it must reach neither the redirect's target nor a cache.
      'referrer-policy': referrerPolicy,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(page)
