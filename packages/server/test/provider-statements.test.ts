// Every status, activity and error of the provider's document, and of the notes on its newer one: for each, what our end-user,
// account or deposit shows, or what the caller gets. A row without a statement fails, so a word that the provider adds is decided
// on before it is met.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { wireReferencePath } from '../../../scripts/test-needs.ts'
import { subjectOf } from '../src/app/event-handlers.ts'
import { advance } from '../src/deposits/state.rules.ts'
import { deriveKyc, deriveKycOfPage } from '../src/end-users/kyc/status.rules.ts'
import type { Json, JsonObject } from '../src/platform/values/json.ts'
import { fiatCurrencies } from '../src/platform/values/rails.ts'
import { events } from '../src/provider/bridge/events.ts'
import { bridgeOffer } from '../src/provider/bridge/offer.ts'
import { pageOf, standingOf as standingOfCustomer } from '../src/provider/bridge/verdict.ts'
import { readActivity } from '../src/provider/bridge/wire/activity.ts'
import { readCustomer, readKycLink } from '../src/provider/bridge/wire/customer.ts'
import { errorOfAnswer } from '../src/provider/bridge/wire/errors.ts'
import { readInformationRequest } from '../src/provider/bridge/wire/information-request.ts'
import { providerFailure } from '../src/provider/operations/operations.ts'
import { accountRejection } from '../src/virtual-accounts/service.ts'
import { standingOf } from '../src/virtual-accounts/standing/standing.rules.ts'
import { openWireReference, referenceMissing } from './wire-reference.ts'

type Statements = Readonly<Record<string, string>>

/** For an approved end-user with an account in dollars: KYC status, and the state of the account. */
const customerStatuses: Statements = {
  active: 'approved, account active',
  awaiting_questionnaire: 'action_required, account suspended: rail_inactive',
  awaiting_ubo: 'action_required, account suspended: rail_inactive',
  deposits_restricted: 'paused, account suspended: deposits_restricted',
  incomplete: 'action_required, account suspended: rail_inactive',
  // The provider never goes back to it. If it does, everything has to be given again.
  not_started: 'action_required, account suspended: rail_inactive',
  offboarded: 'offboarded, account suspended: end_user_offboarded',
  paused: 'paused, account suspended: end_user_paused',
  rejected: 'rejected, account suspended: end_user_rejected',
  under_review: 'under_review, account suspended: rail_inactive',
}

/** For a new end-user who has only the link. */
const linkStatuses: Statements = {
  not_started: 'not_started',
  incomplete: 'action_required',
  awaiting_questionnaire: 'action_required',
  awaiting_ubo: 'action_required',
  under_review: 'under_review',
  // Until the customer itself is read: a link names no rail.
  approved: 'under_review',
  rejected: 'rejected',
  paused: 'paused',
  offboarded: 'offboarded',
  deposits_restricted: 'paused',
}

const termsStatuses: Statements = { pending: 'pending', approved: 'approved' }

/** For the rail that the endorsement opens, and an account in its currency. */
const endorsementStatuses: Statements = {
  incomplete: 'pending, account suspended: rail_inactive',
  approved: 'active, account active',
  revoked: 'revoked, account suspended: rail_inactive',
}

/** Which rail an approval opens. */
const endorsements: Statements = {
  base: 'usd',
  sepa: 'eur',
  spei: 'mxn',
  pix: 'brl',
  pix_onramp: 'brl',
  pix_offramp: 'none: money paid out',
  faster_payments: 'gbp',
  cop: 'cop',
  cards: 'none: cards',
  reliance: 'none: asks that the provider relies on checks of the business',
}

const accountStatuses: Statements = { activated: 'active', deactivated: 'deactivated' }

/** For a deposit with only this activity. */
const activities: Statements = {
  funds_scheduled: 'deposit scheduled',
  funds_received: 'deposit received',
  in_review: 'deposit in_review',
  payment_submitted: 'deposit payout_submitted',
  payment_processed: 'deposit completed',
  refund_in_flight: 'deposit refund_pending',
  refund_failed: 'deposit failed',
  refund: 'deposit refunded',
  refunded: 'deposit refunded',
  microdeposit: 'deposit microdeposit',
  account_update: 'account read again',
  deactivation: 'account read again',
  activation: 'account read again',
  reactivation: 'account read again',
}

const categories: Statements = {
  customer: 'moves our state',
  kyc_link: 'moves our state',
  virtual_account: 'moves our state',
  'virtual_account.activity': 'moves our state',
  rfi: 'moves our state',
  'liquidation_address.drain': 'forwarded',
  liquidation_address: 'forwarded',
  'static_memo.activity': 'forwarded',
  transfer: 'forwarded',
  card_account: 'forwarded',
  card_transaction: 'forwarded',
  card_withdrawal: 'forwarded',
  posted_card_account_transaction: 'forwarded',
  external_account: 'forwarded',
  // `virtual_account.activity` reports the deposit as well, so it is not counted twice.
  'bridge_wallet.activity': 'forwarded',
}

/** The response to the caller of `POST /v0/virtual-accounts`. */
const errors: Statements = {
  '400 bad_customer_request': '422 provider_rejected',
  '400 bad_request': '422 provider_rejected',
  '400 deactivated_external_account': '422 provider_rejected',
  '400 duplicate_external_account': '422 provider_rejected',
  '400 duplicate_record': '422 provider_rejected',
  '400 frozen': '422 provider_rejected',
  '400 has_not_accepted_tos': '422 tos_not_accepted',
  '400 invalid_json': '422 provider_rejected',
  '400 invalid_parameters': '422 provider_rejected',
  '400 not_found': '422 provider_rejected',
  '400 not_truly_idempotent': '422 provider_rejected',
  '400 requires_active_kyc_status': '422 kyc_not_approved',
  // The key of the operator, not the caller: the log and `doctor` say so.
  '401 invalid': '503 provider_unavailable',
  '401 required': '503 provider_unavailable',
  '403 aml_violation': '422 provider_rejected',
  '403 developer_limits_exceeded': '422 provider_rejected',
  '403 endorsement_requirements_not_met': '422 rail_not_enabled',
  '403 missing_required_endorsements': '422 rail_not_enabled',
  '403 not_allowed': '422 provider_rejected',
  '404 Invalid': '422 provider_rejected',
  '404 not_found': '422 provider_rejected',
  '409 resource_state_conflict': '503 provider_unavailable',
  '422 unprocessable_entity': '422 provider_rejected',
  '500 unexpected': '503 provider_unavailable',
}

/** The state of the information request that the business sees. */
const requestStates: Statements = { on_developer: 'action_required', on_bridge: 'in_review', closed: 'closed' }

function statementOf(statements: Statements, word: string, of: string): string {
  const statement = Object.hasOwn(statements, word) ? statements[word] : undefined
  assert.ok(statement !== undefined, `${of} ${word}: no statement says what we show`)
  return statement
}

const held = { kycStatus: 'approved', tosStatus: 'approved' } as const

function customerWith(status: string, endorsement = 'base', endorsed = 'approved') {
  const customer = readCustomer({
    id: 'c1',
    status,
    has_accepted_terms_of_service: true,
    endorsements: [{ name: endorsement, status: endorsed }],
  })
  return standingOfCustomer(customer, bridgeOffer)
}

function shownOfCustomer(status: string): string {
  const view = deriveKyc(held, customerWith(status))
  return `${view.kycStatus}, account ${standing(standingOf('activated', view, 'usd'))}`
}

const standing = ({ status, suspendedReason }: ReturnType<typeof standingOf>) =>
  status === 'suspended' ? `${status}: ${suspendedReason}` : status

function shownOfEndorsement(endorsed: string): string {
  const view = deriveKyc(held, customerWith('active', 'base', endorsed))
  return `${view.rails.usd}, account ${standing(standingOf('activated', view, 'usd'))}`
}

function openedBy(endorsement: string): string {
  const { rails } = deriveKyc(held, customerWith('active', endorsement))
  return fiatCurrencies.filter((currency) => rails[currency] === 'active').join() || 'none'
}

function shownOfActivity(type: string): string {
  const { activity, isAccountStep } = readActivity({ id: 'a1', type, created_at: '2026-01-01T00:00:00Z' }, null)
  if (isAccountStep) return 'account read again'
  const { state } = advance(null, activity, { sourceCurrency: 'usd', destinationCurrency: 'usdc' })
  return `deposit ${state?.status}`
}

function shownOfCategory(category: string): string {
  const event = events.read({ event_category: category, event_type: `${category}.updated`, event_object: { id: 'x' } })
  return subjectOf(event) === null ? 'forwarded' : 'moves our state'
}

function callerGets(status: number, body: Json): string {
  const error = errorOfAnswer({ status, headers: {}, body: JSON.stringify(body) })
  const isRefusal = error.kind === 'rejected' || error.kind === 'not_found'
  const answer = isRefusal ? accountRejection(error, 'ada', {}) : providerFailure(error)
  return `${answer.status} ${answer.code}`
}

describe('what we show for each word of the provider’s document', { skip: referenceMissing }, () => {
  const document = referenceMissing ? {} : (JSON.parse(readFileSync(wireReferencePath ?? '', 'utf8')) as JsonObject)
  const notes = referenceMissing ? '' : readFileSync(join(dirname(wireReferencePath ?? ''), 'bridge.md'), 'utf8')
  /** A section of the notes on the newer document, such as `6.8`. */
  const section = (number: string): string => {
    const [, text = ''] = notes.split(`\n## ${number} `)
    assert.ok(text !== '', `section ${number} is not there`)
    return text.split('\n## ')[0] ?? ''
  }
  const quoted = (text: string): string[] => [...text.matchAll(/`([a-z_.]+)`/g)].map(([, word = '']) => word)
  const lineOf = (number: string, start: string): string => {
    const line = section(number)
      .split('\n')
      .find((each) => each.startsWith(start))
    assert.ok(line !== undefined, `${number} has no line "${start}"`)
    return line
  }
  const enumOf = (...path: string[]): string[] => {
    let at: Json | undefined = document
    for (const name of ['components', 'schemas', ...path]) at = (at as JsonObject | undefined)?.[name]
    const words = (at as JsonObject | undefined)?.['enum']
    assert.ok(Array.isArray(words) && words.length > 0, path.join('/'))
    return words.map(String)
  }
  const each = (words: Iterable<string>, statements: Statements, of: string, shown: (word: string) => string) => {
    const all = [...new Set(words)]
    assert.ok(all.length > 0)
    for (const word of all) {
      const statement = statementOf(statements, word, of)
      assert.equal(shown(word), statement.startsWith('none:') ? 'none' : statement, `${of} ${word}`)
    }
  }

  test('customer statuses', () => {
    const newer = quoted(lineOf('6.8', '- **No deposit is to be expected')).filter((word) => word in customerStatuses)
    assert.ok(newer.includes('deposits_restricted'))
    each([...enumOf('CustomerStatus'), ...newer], customerStatuses, 'customer status', shownOfCustomer)
  })

  test('statuses of hosted links, and of their terms', () => {
    const linkOf = (kycStatus: string, tosStatus: string) =>
      deriveKycOfPage(
        { kycStatus: 'not_started', tosStatus: 'pending' },
        pageOf(readKycLink({ id: 'l1', kyc_status: kycStatus, tos_status: tosStatus })),
      )
    const newer = ['deposits_restricted']
    assert.ok(lineOf('6.8', '- **Customer `status`**').includes('`kyc_status` of a link'))
    each([...enumOf('KycStatus'), ...newer], linkStatuses, 'link status', (word) => linkOf(word, 'pending').kycStatus)
    each(enumOf('TosStatus'), termsStatuses, 'terms status', (word) => linkOf('not_started', word).tosStatus)
  })

  test('endorsements and their statuses', () => {
    const newer = section('6.7')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => quoted(line)[0] ?? '')
    assert.ok(newer.length >= 9)
    each([...enumOf('EndorsementType'), ...newer], endorsements, 'endorsement', openedBy)
    each(enumOf('Endorsement', 'properties', 'status'), endorsementStatuses, 'endorsement status', shownOfEndorsement)
  })

  test('activation statuses of an account, by itself', () => {
    each(enumOf('VirtualAccountActivationStatus'), accountStatuses, 'account status', (word) => {
      const view = deriveKyc(held, customerWith('active'))
      return standingOf(word === 'activated' ? 'activated' : 'deactivated', view, 'usd').status
    })
  })

  test('activities', () => {
    const newer = quoted(lineOf('6.8', '- **Activity types**')).filter((word) => word !== 'event_type')
    assert.ok(newer.includes('refund_failed'))
    each([...enumOf('VirtualAccountEvent', 'properties', 'type'), ...newer], activities, 'activity', shownOfActivity)
  })

  test('states of a request for information', () => {
    const [, states = ''] = lineOf('6.3', '| `state`').split('|').slice(1)
    each(quoted(states), requestStates, 'state of a request for information', (state) =>
      String(readInformationRequest({ id: 'rfi_1', state }).state),
    )
  })

  test('event categories', () => {
    const newer = quoted(lineOf('6.13', '- Categories of an endpoint')).filter((word) => word in categories)
    each([...enumOf('WebhookEventCategory'), ...newer], categories, 'event category', shownOfCategory)
  })

  test('currencies, rails, chains and coins', () => {
    const listOf = (name: string) => quoted((lineOf('6.9', `| ${name}`).split('|')[2] ?? '').replaceAll(' ', '` `'))
    const coins = new Set(Object.values(bridgeOffer.chains).flatMap(({ currencies }) => currencies))
    const depositRails = new Set(fiatCurrencies.flatMap((currency) => bridgeOffer.fiat[currency].depositRails))
    for (const word of listOf('source currency'))
      assert.ok(
        fiatCurrencies.some((each) => each === word),
        word,
      )
    for (const word of listOf('destination chain')) assert.ok(Object.hasOwn(bridgeOffer.chains, word), word)
    for (const word of listOf('destination coin')) assert.ok(coins.has(word), word)
    for (const word of listOf('rails of an activity')) assert.ok(depositRails.has(word), word)
  })

  test('errors', () => {
    const rows = new Map<string, string>()
    for (const { status, value } of openWireReference().examples()) {
      if (status < 400) continue
      const body = value as { code?: string; errors?: { code: string }[] }
      rows.set(`${status} ${body.code ?? body.errors?.[0]?.code}`, callerGets(status, value))
    }
    for (const line of section('2.11').split('\n')) {
      const [status, codes] = [/^\| (4\d\d|500) /.exec(line)?.[1], line.split('|')[2] ?? '']
      if (status === undefined) continue
      for (const code of quoted(codes))
        rows.set(`${status} ${code}`, callerGets(Number(status), { code, message: 'No.' }))
    }
    assert.ok(rows.size > 15)
    each(rows.keys(), errors, 'error', (row) => rows.get(row) ?? '')
  })
})
