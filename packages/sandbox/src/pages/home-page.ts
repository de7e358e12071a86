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

const commands: readonly { call: [method: string, path: string]; effect: string; body?: string }[] = [
  { call: ['POST', '/_sandbox/customers/:id/kyc'], effect: 'Decide a check.', body: '{"decision":"approve"}' },
  { call: ['POST', '/_sandbox/tos/:sessionToken/accept'], effect: 'Accept the terms without a browser.' },
  {
    call: ['POST', '/_sandbox/virtual_accounts/:id/deposits'],
    effect: 'Simulate a deposit, step by step.',
    body: '{"amount":"100.00","outcome":"completed"}',
  },
  { call: ['POST', '/_sandbox/deposits/:id/advance'], effect: 'Move a deposit on that is in review.' },
  {
    call: ['POST', '/_sandbox/faults'],
    effect: 'Delay, fail, cut or garble answers.',
    body: '{"path":"/customers","mode":"cut_after","times":1}',
  },
  { call: ['GET', '/_sandbox/events'], effect: 'Every event the sandbox has made.' },
  { call: ['GET', '/_sandbox/webhooks/deliveries'], effect: 'Every attempt to deliver one.' },
  { call: ['GET', '/_sandbox/state'], effect: 'Counts and ids of everything that exists.' },
  { call: ['POST', '/_sandbox/reset'], effect: 'Forget everything.' },
]

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
    ({ call: [method, path], effect, body }) =>
      html`<li><code><span class="method">${method}</span> ${path}</code>
        <p>${effect}${body !== undefined && html` <code>${body}</code>`}</p></li>`,
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
