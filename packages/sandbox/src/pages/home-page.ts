// The home page: an overview of the sandbox for a developer's first minute, and a form that moves the clock.
import type { FastifyInstance } from 'fastify'
import { magicCents } from '../deposits/orders.ts'
import { Refusal } from '../platform/errors.ts'
import { advanceIn, renderClock } from '../state/clock.ts'
import type { World } from '../state/world.ts'
import { type Html, html } from './html.ts'
import { renderPage, sendDeveloperPage } from './layout.ts'
import { answerProblem, formValue, readFormsOnly, refuseForeignForms, sendProblem } from './requests.ts'

const magicSuffixes = [
  ['+reject', 'Rejected, with reasons.'],
  ['+review', 'Stays under review until you decide it.'],
  ['+document', 'Asks for another document.'],
  ['+questionnaire', 'Asks for the purpose of the account and the source of funds.'],
  ['+ubo', 'Asks for the owners; of a business only.'],
  ['+ownerdocument', 'Asks for one more document of an owner; of a business only.'],
  ['+future', 'Approved; announces what will be asked for later.'],
  ['+paused', 'The customer is paused.'],
  ['+offboard', 'The customer is closed.'],
  ['+restricted', 'Approved, but deposits are restricted: accounts are suspended.'],
  ['+revoke', 'Approved first; the approval is revoked later.'],
] as const

const commands: readonly { call: [method: string, path: string]; effect: string; body?: string }[] = [
  { call: ['POST', '/_sandbox/customers/:id/kyc'], effect: 'Decide a check.', body: '{"decision":"approve"}' },
  { call: ['POST', '/_sandbox/tos/:sessionToken/accept'], effect: 'Accept the terms without a browser.' },
  {
    call: ['POST', '/_sandbox/virtual_accounts/:id/deposits'],
    effect: 'Simulate a deposit, step by step.',
    body: '{"amount":"100.42"}',
  },
  {
    call: ['POST', '/_sandbox/deposits/:id/advance'],
    effect: 'Move a deposit that waits.',
    body: '{"to":"completed"}',
  },
  { call: ['GET', '/_sandbox/clock'], effect: 'The sandbox’s own time.' },
  {
    call: ['POST', '/_sandbox/clock'],
    effect: 'Move it forward; what becomes due happens at once.',
    body: '{"advance_ms":86400000}',
  },
  {
    call: ['POST', '/_sandbox/faults'],
    effect: 'Delay, fail, cut, garble or refuse answers.',
    body: '{"path":"/customers","mode":"cut_after","times":1}',
  },
  {
    call: ['POST', '/_sandbox/behaviour'],
    effect: 'Behave in ways the real provider may; GET lists them.',
    body: '{"webhook_events_absent":true}',
  },
  { call: ['GET', '/_sandbox/events'], effect: 'Every event the sandbox has made.' },
  { call: ['GET', '/_sandbox/webhooks/deliveries'], effect: 'Every attempt to deliver one.' },
  { call: ['GET', '/_sandbox/state'], effect: 'Counts and ids of everything that exists.' },
  {
    call: ['POST', '/_sandbox/reset'],
    effect:
      'Forget everything here and put the clock back. Causeway does not hear of it: POST /v0/sandbox/reset there forgets on both sides.',
  },
]

const lead = html`<section class="lead">
  <h1>A payment provider that lives on your machine</h1>
  <p>It speaks the provider’s wire under <code>/v0</code>, shows the hosted pages, signs its webhooks and breaks on
    demand. No account, no real money, no personal data kept.</p>
  <p class="actions"><a class="button primary" href="/bank">Send a deposit</a>
    <a class="button" href="/inbox">Open the webhook inbox</a></p>
</section>`

const magic = html`<section class="card" aria-labelledby="magic">
  <h2 id="magic">Magic e-mail addresses</h2>
  <p class="muted">The end of the part before the @ decides how the first check ends, as
    in <code>ada+reject@example.com</code>. What is submitted after that is approved, as any other address is.</p>
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

const amounts = html`<section class="card" aria-labelledby="amounts">
  <h2 id="amounts">Magic amounts</h2>
  <p class="muted">The cents of a deposit decide what becomes of it, unless an outcome is named.</p>
  <dl class="facts">${[
    ...Object.entries(magicCents).map(([cents, outcome]) => [`.${cents}`, outcome] as const),
    ['below the minimum', 'microdeposit'] as const,
    ['anything else', 'completed'] as const,
  ].map(([cents, outcome]) => html`<div><dt>${cents}</dt><dd><code>${outcome}</code></dd></div>`)}</dl>
</section>`

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const advances: readonly [ms: number, label: string][] = [
  [minuteMs, 'a minute'],
  [hourMs, 'an hour'],
  [dayMs, 'a day'],
  [7 * dayMs, 'a week'],
  [30 * dayMs, '30 days'],
  [365 * dayMs, 'a year'],
]

/** Renders a duration by its two largest units, such as "3 d 2 h". */
const formatDuration = (offsetMs: number): string => {
  const units = [
    [Math.floor(offsetMs / dayMs), 'd'],
    [Math.floor((offsetMs % dayMs) / hourMs), 'h'],
    [Math.floor((offsetMs % hourMs) / minuteMs), 'min'],
    [Math.floor((offsetMs % minuteMs) / 1_000), 's'],
  ] as const
  return units
    .filter(([amount]) => amount > 0)
    .slice(0, 2)
    .map((unit) => unit.join(' '))
    .join(' ')
}

const clockCard = ({
  now,
  offset_ms: offsetMs,
}: ReturnType<typeof renderClock>): Html => html`<section class="card" aria-labelledby="clock">
  <h2 id="clock">Clock</h2>
  <p><time datetime="${now}">${now.slice(0, 19).replace('T', ' ')} UTC</time>
    <span class="badge${offsetMs > 0 && ' warning'}">${offsetMs > 0 ? `${formatDuration(offsetMs)} ahead` : 'Real time'}</span></p>
  <form class="field-row" method="post" action="/clock"><label class="visually-hidden" for="advance_ms">Move forward by</label>
    <select class="field" id="advance_ms" name="advance_ms">${advances.map(
      ([ms, label]) => html`<option value="${ms}"${ms === dayMs && html` selected`}>${label}</option>`,
    )}</select><button class="button" type="submit">Move forward</button></form>
  <p class="muted">Decisions and deposits that become due on the way happen at once. Webhooks are signed and repeated
    in real time. A reset puts the clock back.</p>
</section>`

const home = (world: World): string =>
  renderPage({
    title: 'Home',
    kind: 'developer',
    main: html`${lead}<div class="columns"><div class="stack">${clockCard(renderClock(world.clock))}${magic}${amounts}</div>${control}</div>`,
  })

/** Registers `/` and `/clock`. */
export const registerHomePage = (app: FastifyInstance, world: World): void => {
  app.get('/', (_request, reply) => sendDeveloperPage(reply, 200, home(world)))
  // A scope of its own: its body parser must not reach the hosted pages, which accept JSON alone.
  app.register(async (scope) => {
    readFormsOnly(scope)
    refuseForeignForms(scope, world.origin)
    scope.setErrorHandler(answerProblem)
    scope.post('/clock', (request, reply) => {
      try {
        const advance_ms = Number(formValue(request, 'advance_ms') ?? Number.NaN)
        world.advance(advanceIn(world.clock, { advance_ms }))
        return reply.redirect('/#clock', 303)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return sendProblem(reply, error.status, String(error.body['code']), error.message)
      }
    })
  })
}
