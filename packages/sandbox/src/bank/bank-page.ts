// The page that sends a deposit: the choice of an account, its bank details, the form, and recent deposits.
import { depositOutcomes } from '../deposits/deposits.ts'
import { magicCents } from '../deposits/orders.ts'
import { type Html, html } from '../pages/html.ts'
import { renderPage } from '../pages/layout.ts'
import { outcomeTexts, paces, railTexts, stepText } from './texts.ts'
import { type AccountView, type DepositView, type Line, money, shortTime } from './views.ts'

/** The values of the form, and its problems by field. The empty field name is for the whole form. */
export type FormState = { values: Readonly<Record<string, string>>; problems: Readonly<Record<string, string>> }

export const blankForm: FormState = { values: {}, problems: {} }

type BankView = {
  accounts: AccountView[]
  count: number
  search: string
  chosen: AccountView | undefined
  recent: DepositView[]
  form: FormState
}

export const factList = (lines: readonly Line[]): Html =>
  html`<dl class="facts">${lines.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

const accountItem = (account: AccountView, { chosen, search }: BankView): Html => {
  const query = new URLSearchParams({ account: account.id, ...(search !== '' && { q: search }) })
  return html`<li><a class="pick" href="/bank?${query.toString()}"${account.id === chosen?.id && html` aria-current="true"`}>
    <span class="pick-text"><strong>${account.holder}</strong>
      <span class="muted">${account.currency.toUpperCase()} account, ends in ${account.ending}</span></span>
    ${account.isDeactivated ? html`<span class="badge danger">Deactivated</span>` : account.refusal !== null && html`<span class="badge warning">Restricted</span>`}
  </a></li>`
}

const searchForm = ({
  accounts,
  count,
  search,
}: BankView): Html => html`<form action="/bank" method="get" role="search">
  <label class="visually-hidden" for="q">Find an account</label>
  <div class="field-row"><input class="field" id="q" name="q" type="search" maxlength="100" value="${search}"
    placeholder="Name, e-mail or id" autocomplete="off" spellcheck="false">
  <button class="button" type="submit">Find</button></div>
  <p class="hint">${count === 0 ? 'No account matches.' : `Showing ${accounts.length} of ${count}.`}</p></form>`

const accountCard = (view: BankView): Html => html`<section class="card" aria-labelledby="accounts">
  <h2 id="accounts">Choose an account</h2>
  ${(view.count > view.accounts.length || view.search !== '') && searchForm(view)}
  <ul class="picks">${view.accounts.map((account) => accountItem(account, view))}</ul>
</section>`

const detailsCard = (account: AccountView): Html => html`<section class="card" aria-labelledby="details">
  <h2 id="details">Bank details</h2>
  ${factList([
    ['Holder', account.holder],
    ...(account.email === null ? [] : [['E-mail', account.email] as const]),
    ...account.instructions,
    ['Pays out', account.destination],
    ['Account id', account.id],
    ['Customer id', account.customerId],
  ])}
</section>`

const problemOf = (name: string, { problems }: FormState): Html | false => {
  const problem = problems[name]
  return problem !== undefined && html`<p class="complaint" id="${name}-problem">${problem}</p>`
}

const describedBy = (name: string, { problems }: FormState, hint?: string): Html | false => {
  const ids = [problems[name] !== undefined && `${name}-problem`, hint].filter(Boolean).join(' ')
  return ids !== '' && html` aria-describedby="${ids}"`
}

const invalid = (name: string, { problems }: FormState): Html | false =>
  problems[name] !== undefined && html` aria-invalid="true"`

const textField = (form: FormState, name: string, label: string, attributes: Html, hint?: string): Html =>
  html`<div class="labelled"><label for="${name}">${label}</label>
    <input class="field" id="${name}" name="${name}" value="${form.values[name] ?? ''}" autocomplete="off"
      ${attributes}${describedBy(name, form, hint === undefined ? undefined : `${name}-hint`)}${invalid(name, form)}>
    ${problemOf(name, form)}${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}</div>`

type Option = readonly [value: string, label: string]

const selectField = (form: FormState, name: string, label: string, options: readonly Option[]): Html =>
  html`<div class="labelled"><label for="${name}">${label}</label>
    <select class="field" id="${name}" name="${name}"${describedBy(name, form)}${invalid(name, form)}>${options.map(
      ([value, text]) =>
        html`<option value="${value}"${form.values[name] === value && html` selected`}>${text}</option>`,
    )}</select>${problemOf(name, form)}</div>`

const magicTable = (
  account: AccountView,
): Html => html`<details class="more"><summary>What the cents of an amount stand for</summary>
  ${factList([
    ...Object.entries(magicCents).map(([cents, outcome]): Line => [`.${cents}`, outcomeTexts[outcome]]),
    [`below ${money(account.minimum, account.currency)}`, outcomeTexts.microdeposit],
    ['anything else', outcomeTexts.completed],
  ])}</details>`

const depositForm = (account: AccountView, form: FormState): Html => {
  const outcomes = depositOutcomes.map((outcome): Option => [outcome, outcomeTexts[outcome]])
  return html`<form class="card deposit-form" method="post" action="/bank/deposits" aria-labelledby="deposit">
  <h2 id="deposit">Send to ${account.holder}</h2>
  ${form.problems[''] !== undefined && html`<p class="notice danger" role="alert">${form.problems['']}</p>`}
  <input type="hidden" name="account" value="${account.id}">
  ${textField(form, 'amount', `Amount in ${account.currency.toUpperCase()}`, html`required inputmode="decimal" maxlength="32" placeholder="100.00"${form.problems['amount'] !== undefined && html` autofocus`}`, `From ${money(account.minimum, account.currency)}; less is a microdeposit.`)}
  ${selectField(form, 'outcome', 'What becomes of it', [['', 'As the amount says'], ...outcomes])}
  ${selectField(
    form,
    'payment_rail',
    'Rail',
    account.rails.map((rail) => [rail, railTexts[rail]]),
  )}
  ${textField(form, 'sender_name', 'Sender', html`maxlength="256" placeholder="Sandbox Sender"`)}
  ${textField(form, 'reference', 'Reference', html`maxlength="140" placeholder="Sandbox deposit"`)}
  ${selectField(form, 'step_ms', 'Pace', paces)}
  <p class="actions"><button class="button primary" type="submit">Send deposit</button></p>
  ${magicTable(account)}
</form>`
}

const closedForm = (account: AccountView): Html => html`<section class="card" aria-labelledby="deposit">
  <h2 id="deposit">${account.holder} takes no deposits</h2>
  <div class="notice warning"><p><strong>${account.refusal}.</strong> ${
    account.isDeactivated
      ? 'Deposits to this account are refused until it is activated again.'
      : 'Deposits to this customer are refused until the customer is approved again.'
  }</p></div>
</section>`

const recentItem = ({ deposit, account, amount, startedAt }: DepositView): Html => {
  const { label, tone } = stepText(deposit.at)
  return html`<li><a href="/bank/deposits/${deposit.id}">${amount} to ${account.holder}</a>
    <span class="badge ${tone}">${label}</span>
    ${startedAt !== null && html`<time class="muted" datetime="${startedAt}">${shortTime(startedAt)}</time>`}</li>`
}

const recentCard = (recent: DepositView[]): Html => html`<section class="card recent" aria-labelledby="recent">
  <h2 id="recent">Recent deposits</h2>
  ${
    recent.length === 0
      ? html`<p class="muted">None yet. The first one you send appears here.</p>`
      : html`<ul class="deposits">${recent.map(recentItem)}</ul>`
  }
</section>`

const noAccounts = html`<section class="card empty" aria-labelledby="empty">
  <h2 id="empty">There is no account to send to yet</h2>
  <p class="muted">A virtual account needs an approved customer. Open one through your application, or by hand:</p>
  <ol class="recipe">
    <li><code>POST /v0/customers</code> with the data of a person or a business, and wait until it is active
      (or <code>POST /_sandbox/customers/:id/kyc</code> with <code>{"decision":"approve"}</code>).</li>
    <li><code>POST /v0/customers/:id/virtual_accounts</code> with a source currency and a destination.</li>
    <li>Reload this page.</li>
  </ol>
</section>`

const accountParts = (view: BankView): Html => {
  const { chosen, form } = view
  return html`<div class="bank">${accountCard(view)}
    ${chosen && (chosen.refusal === null ? depositForm(chosen, form) : closedForm(chosen))}
    ${chosen && detailsCard(chosen)}</div>`
}

export const bankPage = (view: BankView): string =>
  renderPage({
    title: 'Bank',
    kind: 'developer',
    styles: ['/assets/bank.css'],
    main: html`<div class="lead"><h1>The bank</h1>
      <p>Send money to a virtual account as its sender’s bank would, and watch what becomes of it.</p></div>
      ${view.count === 0 && view.search === '' ? noAccounts : accountParts(view)}
      ${(view.count > 0 || view.recent.length > 0) && recentCard(view.recent)}`,
  })
