// The page of one deposit: its steps, its costs and destination, and the ways to advance it. The page's script fetches
// the parts marked `data-live` again; without the script a person reloads the page.
import { type Html, html } from '../pages/html.ts'
import { renderPage } from '../pages/layout.ts'
import { factList } from './bank-page.ts'
import { advanceTexts, railTexts, stepText } from './texts.ts'
import { type DepositView, shortTime } from './views.ts'

const step = (view: DepositView, { type, at }: DepositView['deposit']['trail'][number], isLast: boolean): Html => {
  const { label, tone, meaning } = stepText(type)
  return html`<li class="step ${isLast ? `now ${tone}` : 'done'}"${isLast && !view.isFinal && html` aria-current="step"`}>
    <strong>${label}</strong> <time class="muted" datetime="${at}">${shortTime(at)}</time>
    <p class="muted">${meaning}</p></li>`
}

const timeline = (view: DepositView): Html => {
  const { trail, ahead } = view.deposit
  return html`<ol class="steps">
    ${trail.map((taken, index) => step(view, taken, index === trail.length - 1))}
    ${ahead.map((type) => html`<li class="step ahead"><span>${stepText(type).label}</span> <span class="visually-hidden">to come</span></li>`)}
  </ol>`
}

const moves = ({ deposit, moves: open }: DepositView): Html | false =>
  open.length > 0 &&
  html`<h2>This deposit waits</h2>
    <form class="actions" method="post" action="/bank/deposits/${deposit.id}/advance">${open.map(
      (to, index) =>
        html`<button class="button${index === 0 && ' primary'}" type="submit" name="to" value="${to}">${advanceTexts[to]}</button>`,
    )}</form>`

const facts = (view: DepositView): Html => {
  const { deposit, account, amount, sender, reference, payment, refund } = view
  return html`<h2>Transfer</h2>
    ${factList([
      ['Amount', amount],
      ['From', sender],
      ['Reference', reference],
      ['Rail', railTexts[deposit.source.payment_rail]],
      ['To', `${account.holder}, ${account.currency.toUpperCase()} account ending in ${account.ending}`],
      ['Deposit id', deposit.id],
    ])}
    ${payment.length > 0 && html`<h2>Payment</h2>${factList(payment)}`}
    ${refund.length > 0 && html`<h2>Refund</h2>${factList(refund)}`}`
}

export const depositPage = (view: DepositView, problem?: string): string => {
  const { deposit, account, amount, isFinal } = view
  const { label, tone } = stepText(deposit.at)
  return renderPage({
    title: `Deposit of ${amount}`,
    kind: 'developer',
    styles: ['/assets/bank.css'],
    scripts: ['/assets/bank.js'],
    withoutScript: html`<p class="notice">Without JavaScript this page stands still.
      <a href="/bank/deposits/${deposit.id}">Reload it</a> to see the next step.</p>`,
    main: html`<div class="lead"><p class="eyebrow"><a href="/bank?account=${account.id}">The bank</a></p>
        <h1 id="title" tabindex="-1">${amount} to ${account.holder}</h1>
        <p id="status" role="status" data-live><span class="badge ${tone}"${isFinal && html` data-final`}>${label}</span>${
          !isFinal &&
          html` <span class="muted">${
            deposit.ahead.length > 0 ? 'The next step comes by itself.' : 'It stays here until you decide.'
          }</span>`
        }</p>
        <p class="notice danger" id="problem" role="alert"${problem === undefined && html` hidden`}>${problem}</p></div>
      <div class="bank" id="deposit">
        <div class="stack">
          <section class="card" aria-labelledby="steps-title"><h2 id="steps-title">Steps</h2>
            <div id="timeline" data-live>${timeline(view)}</div></section>
          <section class="card moves" id="moves" aria-label="Move the deposit" data-live>${moves(view)}</section>
          <p class="actions"><a class="button" href="/bank?account=${account.id}">Send another</a></p>
        </div>
        <section class="card" id="facts" aria-label="Details" data-live>${facts(view)}</section>
      </div>`,
  })
}
