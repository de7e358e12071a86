// Owns the front page: what a developer needs in the first minute with the sandbox, in text.
import type { FastifyInstance } from 'fastify'
import { html } from './html.ts'
import { renderPage, sendPage } from './layout.ts'

const magicSuffixes = [
  ['+reject', 'The check is rejected, with reasons.'],
  ['+review', 'The check stays under review until you decide it.'],
  ['+document', 'The check asks for another document.'],
  ['+paused', 'The customer is paused.'],
  ['+revoke', 'Approved first; the approval is revoked later.'],
] as const

const commands = [
  [
    'POST',
    '/_sandbox/customers/:id/kyc',
    'Decide a check: {"decision":"approve"}, reject, review, request_document, pause, offboard.',
  ],
  ['POST', '/_sandbox/tos/:sessionToken/accept', 'Accept the terms without a browser.'],
  ['POST', '/_sandbox/virtual_accounts/:id/deposits', 'Simulate a deposit: {"amount":"100.00","outcome":"completed"}.'],
  [
    'POST',
    '/_sandbox/faults',
    'Delay, fail, cut or garble answers: {"path":"/customers","mode":"cut_after","times":1}.',
  ],
  ['GET', '/_sandbox/events', 'Every event the sandbox has made.'],
  ['GET', '/_sandbox/webhooks/deliveries', 'Every attempt to deliver one.'],
  ['GET', '/_sandbox/state', 'Counts and ids of everything that exists.'],
  ['POST', '/_sandbox/reset', 'Forget everything.'],
] as const

const lead = html`<section class="lead">
  <h1>A payment provider that lives on your machine</h1>
  <p>It speaks the provider’s wire under <code>/v0</code>, shows the hosted pages, signs its webhooks and breaks on
    demand. No account, no real money, no personal data kept.</p>
  <p class="actions"><a class="button primary" href="/inbox">Open the webhook inbox</a></p>
</section>`

const magic = html`<section class="card" aria-labelledby="magic">
  <h2 id="magic">Magic e-mail addresses</h2>
  <p class="muted">The end of the part before the @ decides how a check ends, as in
    <code>ada+reject@example.com</code>. Any other address is approved after a moment.</p>
  <dl class="facts">${magicSuffixes.map(
    ([suffix, effect]) => html`<div><dt><code>${suffix}</code></dt><dd>${effect}</dd></div>`,
  )}</dl>
</section>`

const control = html`<section class="card" aria-labelledby="control">
  <h2 id="control">Control commands</h2>
  <p class="muted">JSON in, JSON out, no key needed.</p>
  <ul class="commands">${commands.map(
    ([method, path, effect]) =>
      html`<li><code><span class="method">${method}</span> ${path}</code><p>${effect}</p></li>`,
  )}</ul>
</section>`

const home = renderPage({
  title: 'Home',
  kind: 'developer',
  main: html`${lead}<div class="columns">${magic}${control}</div>`,
})

export const registerHomePage = (scope: FastifyInstance): void => {
  scope.get('/', (_request, reply) => sendPage(reply, 200, home, "'none'"))
}
