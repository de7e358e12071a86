// The markup of the inbox pages. The page's script fetches deliveries as JSON and inserts them as text, so no content of
// a delivery is parsed as markup.
import { type Html, html } from '../pages/html.ts'
import { renderPage } from '../pages/layout.ts'
import type { Inbox } from './store.ts'

const row = ([name, inbox]: [string, Inbox]): Html => html`<li><a href="/inbox/${name}">${name}</a>
  <span class="muted">${inbox.messages.length} ${inbox.messages.length === 1 ? 'delivery' : 'deliveries'}</span></li>`

const noInbox = html`<div class="empty"><h2>No inbox is in use yet</h2>
  <p class="muted">An inbox exists as soon as something is posted to it. Choose a name, then point a webhook endpoint
  at <code>/inbox/that-name</code>.</p></div>`

export const inboxIndexPage = (inboxes: [string, Inbox][]): string =>
  renderPage({
    title: 'Webhook inbox',
    kind: 'developer',
    styles: ['/assets/inbox.css'],
    main: html`<div class="lead"><h1>Webhook inbox</h1>
      <p>A receiver to watch: it shows what arrived, whether the signature holds, and fails when you want it to.</p></div>
      <div class="columns">
        <section class="card" aria-labelledby="in-use"><h2 id="in-use">Inboxes</h2>
          ${inboxes.length === 0 ? noInbox : html`<ul class="inboxes">${inboxes.map(row)}</ul>`}</section>
        <form class="card" action="/inbox" method="get"><h2><label for="name">Open an inbox by name</label></h2>
          <div class="field-row"><input class="field" id="name" name="name" required maxlength="64"
            pattern="[A-Za-z0-9_\\-]+" placeholder="orders" autocomplete="off" spellcheck="false"
            aria-describedby="name-hint">
          <button class="button primary" type="submit">Open</button></div>
          <p class="muted" id="name-hint">Letters, digits, hyphen and underscore.</p></form>
      </div>`,
  })

const answers = [
  ['ok', '200 OK', 'Every delivery is taken.'],
  ['error', '500 error', 'Watch the sender try again, ever more slowly.'],
  ['gone', '410 Gone', 'Tells the sender to stop for good.'],
  ['timeout', 'Time out', 'No answer for 30 seconds.'],
] as const

const answerControl = html`<fieldset class="segments" id="answers"><legend>Answer deliveries with</legend>
  ${answers.map(
    ([value, label, hint]) =>
      html`<label title="${hint}"><input type="radio" name="answer" value="${value}"><span>${label}</span></label>`,
  )}
</fieldset>`

const secretForm = html`<form class="secret" id="secret-form">
  <label for="secret">Signing secrets <span class="badge" id="secret-state">None</span></label>
  <div class="field-row"><input class="field" id="secret" name="secret" type="password" placeholder="whsec_…"
    autocomplete="off" spellcheck="false" aria-describedby="secret-hint">
  <button class="button" type="submit">Add</button></div>
  <p class="muted" id="secret-hint">Add the secret of each endpoint that points here. A delivery is verified by any of them.
    <code>npm start</code> adds those of its own endpoints by itself.</p>
  <p class="actions"><button class="button small" type="button" id="forget-secrets">Forget all secrets</button></p>
</form>`

// Inert until the script runs, because a form that is sent without the script would put the secret into the address.
const sidebar = html`<aside class="card controls" id="controls" aria-label="Controls" inert>
  ${answerControl}
  <p class="actions"><button class="button small" type="button" id="fail-next">Fail the next 3, then recover</button></p>
  <p class="muted" id="answer-state" role="status"></p>
  ${secretForm}
  <p class="notice danger" id="problem" role="alert" hidden></p>
</aside>`

export const inboxPage = (name: string): string =>
  renderPage({
    title: `Inbox ${name}`,
    kind: 'developer',
    styles: ['/assets/inbox.css', '/assets/deliveries.css'],
    scripts: ['/assets/inbox.js'],
    main: html`<div class="inbox" data-name="${name}">
      <div class="inbox-head">
        <div><p class="eyebrow">Webhook inbox</p><h1>${name}</h1></div>
        <p class="address"><code id="address">/inbox/${name}</code>
          <button class="button small" type="button" id="copy">Copy address</button></p>
      </div>
      <div class="inbox-body">
        <section class="card deliveries" aria-labelledby="deliveries-title">
          <div class="deliveries-head"><h2 id="deliveries-title">Deliveries <span class="muted" id="count"></span></h2>
            <span class="live" id="live">Live</span>
            <button class="button small" type="button" id="clear">Clear</button></div>
          <p class="visually-hidden" id="announcer" aria-live="polite"></p>
          <div class="empty" id="empty" hidden><h2>Nothing has arrived yet</h2>
            <p class="muted">Point a webhook endpoint at the address above, then make an event, for example by creating
              an end-user or simulating a deposit. Or try it by hand:</p>
            <pre class="code"><code id="try">curl -d '{"hello":"world"}' /inbox/${name}</code></pre></div>
          <ol class="list" id="list"></ol>
        </section>
        ${sidebar}
      </div>
    </div>`,
  })
