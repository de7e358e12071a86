// Compares the public API's view of a business with the provider's own data: read from its API and mapped by separate
// code, without any code of the server.

import type { Player } from './event-order-story.ts'
import type { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: the wire's JSON, which tests read as they find it
type Json = any

export type Shown = { users: Json[]; accounts: Json[]; deposits: Json[] }

/** Everything that may not depend on the way the events came, in the order of the story. */
export async function shownTo(player: Player): Promise<Shown> {
  const get = async (path: string): Promise<Json> => (await player.world.business.call('GET', path)).body.data
  const deposits: Json[] = []
  for (const { id } of player.accounts) deposits.push(...(await get(`/v0/virtual-accounts/${id}/deposits?limit=100`)))
  return {
    users: await Promise.all(player.users.map(({ externalUserId }) => get(`/v0/end-users/${externalUserId}`))),
    accounts: await Promise.all(player.accounts.map(({ id }) => get(`/v0/virtual-accounts/${id}`))),
    deposits,
  }
}

/** Without what differs from one business to the next: ids, times, references. */
export function comparable({ users, accounts, deposits }: Shown, story: readonly string[]): Json {
  return {
    users: users.map(({ kycStatus, tosStatus, rails, requirements, nextAction }) => {
      return { kycStatus, tosStatus, rails, requirements, nextAction: nextAction.kind, fields: nextAction.fields ?? [] }
    }),
    accounts: accounts.map((account) => {
      const { status, developerFeePercent, destinationAddress, destinationPaymentRail, destinationCurrency } = account
      return { status, developerFeePercent, destinationAddress, destinationPaymentRail, destinationCurrency }
    }),
    deposits: inOrderOf(story, deposits),
  }
}

function withoutIds(deposit: Json): Json {
  const {
    id: _,
    providerDepositId,
    virtualAccountId,
    externalUserId,
    createdAt,
    updatedAt,
    references,
    destinationTxHash,
    ...rest
  } = deposit
  return {
    ...rest,
    // Before a payout it is the account's coin, as known when the deposit was last reported.
    destinationCurrency: rest.netAmount && rest.destinationCurrency,
    destinationTxHash: destinationTxHash !== null,
    completedAt: rest.completedAt !== null,
    refundedAt: rest.refundedAt !== null,
    references: Object.keys(references).filter((name) => references[name] !== null),
    refund: rest.refund && { ...rest.refund, refundedAt: rest.refund.refundedAt !== null },
    timeline: rest.timeline.map(({ type, status }: Json) => `${type} ${status}`).sort(),
  }
}

/** A refund that names no deposit becomes a separate deposit, which the story does not know: those come last. */
function inOrderOf(story: readonly string[], deposits: readonly Json[]): Json[] {
  const known = new Map(deposits.map((deposit) => [deposit.providerDepositId, deposit]))
  const own = deposits.filter(({ providerDepositId }) => !story.includes(providerDepositId)).map(withoutIds)
  const told = story.map((id) => known.get(id)).map((deposit) => deposit && withoutIds(deposit))
  return [...told, ...own.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))]
}

export type Truth = { users: Json[]; accounts: Json[]; deposits: Map<string, Json> }

export async function truthOf(world: World, player: Player): Promise<Truth> {
  const get = async (path: string): Promise<Json> => (await world.provider.ask('GET', path)).body
  const deposits = new Map<string, Json>()
  for (const { customer, providerId } of player.accounts) {
    const history: Json[] = await wholeHistory(get, `/customers/${customer}/virtual_accounts/${providerId}/history`)
    const steps = history.filter(({ type }) => Object.hasOwn(depositStatuses, type)).reverse()
    for (const [id, walk] of Map.groupBy(steps, (step) => step.deposit_id ?? step.id))
      deposits.set(id, depositTruth(walk))
  }
  return {
    users: await Promise.all(player.users.map(async ({ customer }) => userTruth(await get(`/customers/${customer}`)))),
    accounts: await Promise.all(
      player.accounts.map(async ({ customer, providerId }) =>
        accountTruth(
          await get(`/customers/${customer}/virtual_accounts/${providerId}`),
          await get(`/customers/${customer}`),
        ),
      ),
    ),
    deposits,
  }
}

async function wholeHistory(get: (path: string) => Promise<Json>, path: string): Promise<Json[]> {
  const history: Json[] = []
  for (;;) {
    const after = history.length === 0 ? '' : `&starting_after=${history.at(-1).id}`
    const { data } = await get(`${path}?limit=100${after}`)
    history.push(...data)
    if (data.length < 100) return history
  }
}

const kycStatuses: Record<string, string> = {
  active: 'approved',
  incomplete: 'action_required',
  awaiting_questionnaire: 'action_required',
  deposits_restricted: 'paused',
}
const openers: Record<string, string> = { usd: 'base', eur: 'sepa', mxn: 'spei' }

function userTruth(customer: Json): Json {
  const open = customer.endorsements.filter(({ status }: Json) => status === 'incomplete')
  const statusOf = (name: string) => customer.endorsements.find((held: Json) => held.name === name)?.status
  const approved = customer.status === 'active'
  return {
    kycStatus: kycStatuses[customer.status] ?? customer.status,
    tosStatus: customer.has_accepted_terms_of_service ? 'approved' : 'pending',
    active: Object.keys(openers).filter((currency) => approved && statusOf(openers[currency] ?? '') === 'approved'),
    revoked: Object.keys(openers).filter((currency) => statusOf(openers[currency] ?? '') === 'revoked'),
    currentlyDue: setOf(open.flatMap(({ requirements }: Json) => requirements.missing?.all_of ?? [])),
    pendingReview: setOf(open.flatMap(({ requirements }: Json) => requirements.pending)),
    errors: setOf(open.flatMap(({ requirements }: Json) => requirements.issues.flatMap(namesIn))),
  }
}

/** An issue is a bare word, or fields with their problems. */
function namesIn(issue: Json): string[] {
  return typeof issue === 'string' ? [issue] : Object.keys(issue)
}

/** The same of the end-user that we show. */
export function userClaim({ kycStatus, tosStatus, rails, requirements }: Json): Json {
  const railsThatAre = (status: string) => Object.keys(openers).filter((currency) => rails[currency] === status)
  return {
    kycStatus,
    tosStatus,
    active: railsThatAre('active'),
    revoked: railsThatAre('revoked'),
    currentlyDue: setOf(requirements.currentlyDue),
    pendingReview: setOf(requirements.pendingReview),
    errors: setOf(requirements.errors.map(({ requirement }: Json) => requirement)),
  }
}

const reasons: Record<string, string> = {
  paused: 'end_user_paused',
  offboarded: 'end_user_offboarded',
  rejected: 'end_user_rejected',
  deposits_restricted: 'deposits_restricted',
}

/** A customer of another status has no active rail either. */
function accountTruth(account: Json, customer: Json): Json {
  const { developer_fee_percent: fee, destination } = account
  const name = openers[account.source_deposit_instructions.currency]
  const isOpen = customer.endorsements.some((held: Json) => held.name === name && held.status === 'approved')
  const isPayable = customer.status === 'active' && isOpen
  const status = account.status === 'deactivated' ? 'deactivated' : isPayable ? 'active' : 'suspended'
  return {
    status,
    suspendedReason: status === 'suspended' ? (reasons[customer.status] ?? 'rail_inactive') : null,
    fee: Number(fee),
    destination: [destination.payment_rail, destination.currency, destination.address],
  }
}

export function accountClaim(account: Json): Json {
  const { status, suspendedReason = null, developerFeePercent } = account
  const { destinationPaymentRail, destinationCurrency, destinationAddress } = account
  const destination = [destinationPaymentRail, destinationCurrency, destinationAddress]
  return { status, suspendedReason, fee: Number(developerFeePercent), destination }
}

/** The status of a deposit after an activity of the provider. */
export const depositStatuses: Readonly<Record<string, string>> = {
  funds_scheduled: 'scheduled',
  funds_received: 'received',
  in_review: 'in_review',
  payment_submitted: 'payout_submitted',
  payment_processed: 'completed',
  refund_in_flight: 'refund_pending',
  refund: 'refunded',
  refund_failed: 'failed',
  microdeposit: 'microdeposit',
}

const paidWords = ['initial_amount', 'developer_fee', 'exchange_fee', 'subtotal_amount']

/** By value, in units of 10^-18: the provider writes `100.0` where we write `100.00`. */
function decimalOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(18, '0'))
}

/** @param walk the activities of one deposit, oldest first: the emulator tells them in the order they happen */
function depositTruth(walk: Json[]): Json {
  const last = walk.at(-1)
  const came = walk.find(({ type }) => !type.startsWith('refund'))
  const { source } = walk[0]
  const { receipt } = last
  return {
    status: depositStatuses[last.type],
    gross: came ? [decimalOf(came.amount), came.currency] : null,
    paymentRail: source.payment_rail,
    senderName: source.sender_name ?? source.originator_name ?? null,
    paid: receipt ? paidWords.map((word) => decimalOf(receipt[word])) : null,
    sent: receipt ? [decimalOf(receipt.gas_fee), decimalOf(receipt.final_amount)] : null,
    txHash: receipt?.destination_tx_hash ?? null,
    refund: last.refund ? { ...last.refund } : null,
    refunded: last.type === 'refund' ? [decimalOf(last.amount), last.currency, last.refund.refunded_at] : null,
    timeline: setOf(walk.map(({ id, type }) => `${id} ${type} ${depositStatuses[type]}`)),
    steps: walk.length,
  }
}

export function depositClaim(deposit: Json): Json {
  const { status, grossAmount: gross, paymentRail, senderName, refund, timeline } = deposit
  const { gasFee, netAmount, destinationTxHash, refundedAmount, refundedAt } = deposit
  const paid = [gross, deposit.developerFee, deposit.exchangeFee, deposit.subtotalAmount]
  const isConfirmed = status === 'completed'
  return {
    status,
    gross: gross && [decimalOf(gross.value), gross.currency],
    paymentRail,
    senderName,
    paid: isConfirmed ? paid.map((amount) => decimalOf(amount.value)) : null,
    sent: isConfirmed ? [decimalOf(gasFee.value), decimalOf(netAmount.value)] : null,
    txHash: destinationTxHash,
    refund: refund && { code: refund.code, reason: refund.reason, refunded_at: refund.refundedAt },
    refunded: refundedAmount && [decimalOf(refundedAmount.value), refundedAmount.currency, refundedAt],
    timeline: setOf(timeline.map(({ activityId, type, status: at }: Json) => `${activityId} ${type} ${at}`)),
    steps: timeline.length,
  }
}

function setOf(words: string[]): string[] {
  return [...new Set(words)].sort()
}
