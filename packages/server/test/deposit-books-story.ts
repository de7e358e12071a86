// Draws random deposits: the provider's reports, and the expected result in Causeway. The expectation comes only from
// the drawn amounts, with separate arithmetic.

import { randomUUID } from 'node:crypto'
import { dec, one, quotient, roundTo, show, times } from './deposit-books-decimal.ts'

export type Pair = { account: string; ids: { customer: string; account: string }; source: string; coin: string }
type Amount = { value: bigint; currency: string } | null
export type Expected = {
  providerDepositId: string
  account: string
  status: string
  sourceCurrency: string
  destinationCurrency: string
  gross: Amount
  developerFee: Amount
  exchangeFee: Amount
  subtotal: Amount
  feeAfter: Amount
  gas: Amount
  net: Amount
  rate: bigint | null
  rateSource: string | null
  refunded: Amount
  completedAt: string | null
  refundedAt: string | null
  steps: number
}
/** The expected deposit, with the names of the API and `ShownDeposit`. */
export function shownOf(expected: Expected) {
  const text = (amount: Amount) => amount && { value: show(amount.value), currency: amount.currency }
  return {
    grossAmount: text(expected.gross),
    developerFee: text(expected.developerFee),
    exchangeFee: text(expected.exchangeFee),
    subtotalAmount: text(expected.subtotal),
    exchangeRate: expected.rate === null ? null : show(expected.rate),
    exchangeRateSource: expected.rateSource,
    destinationExchangeFee: text(expected.feeAfter),
    gasFee: text(expected.gas),
    netAmount: text(expected.net),
    refundedAmount: text(expected.refunded),
    refundedAt: expected.refundedAt,
    completedAt: expected.completedAt,
  }
}
export type Story = { expected: Expected[]; steps: Record<string, unknown>[] }

export const pegs: Readonly<Record<string, string>> = { usdc: 'usd', usdt: 'usd', eurc: 'eur' }
const rates: Readonly<Record<string, string>> = { mxn: '0.054', brl: '0.18', gbp: '1.27', cop: '0.00024', eur: '1.085' }
export const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']

/** Mulberry32: the same numbers for the same seed. */
export function draws(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    chance: (percent: number): boolean => below(100) < percent,
    of: <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] ?? values[0],
    digits: (count: number): string => Array.from({ length: count }, () => below(10)).join(''),
    shuffled: <T>(values: readonly T[]): T[] => {
      const list = [...values]
      for (let at = list.length - 1; at > 0; at--) {
        const other = below(at + 1)
        ;[list[at], list[other]] = [list[other] as T, list[at] as T]
      }
      return list
    },
  }
}
type Draws = ReturnType<typeof draws>

/** A number in one of the ways in which programs write it. A text that starts with `#` goes out as a JSON number. */
function written(draw: Draws, value: bigint): string {
  const plain = show(value, 1)
  const [whole = '', fraction = ''] = plain.split('.')
  const digits = whole + fraction
  switch (draw.below(8)) {
    case 0:
      return `${plain}${'0'.repeat(draw.below(24))}`
    case 1:
      return `+${plain}`
    case 2:
      return `0${plain}`
    case 3:
      return `${digits}${draw.of(['e', 'E'])}-${fraction.length}`
    case 4:
      return `${digits[0]}.${digits.slice(1) || '0'}e${draw.of(['', '+'])}${whole.length - 1}`
    case 5:
      return digits.length <= 15 ? `#${plain}` : plain
    default:
      return plain
  }
}

function drawGross(draw: Draws): bigint {
  const kind = draw.below(10)
  if (kind === 0) return dec(`0.0${1 + draw.below(9)}`)
  if (kind === 1) return dec(`${1 + draw.below(9)}${draw.digits(19)}.${draw.digits(2)}`)
  if (kind === 2) return dec(`${1 + draw.below(9)}${draw.digits(3)}.${draw.digits(18)}`)
  return dec(`${1 + draw.below(9)}${draw.digits(draw.below(6))}.${draw.digits(2)}`)
}

const shares = ['0', '0.005', '0.01', '0.0125', '0.03'] as const
type Form = 'older' | 'newer' | 'after' | 'unmarked' | 'none'
type Books = {
  gross: bigint
  developerFee: bigint
  exchangeFee: bigint
  /** The amounts into the conversion and out of it. */
  subtotal: bigint
  converted: bigint
  feeAfter: bigint
  gas: bigint
  net: bigint
  rate: bigint
}

function drawBooks(draw: Draws, { source, coin }: Pair, form: Form): Books {
  const gross = drawGross(draw)
  const developerFee = times(gross, dec(draw.of(shares)))
  const exchangeShare = dec(draw.of(shares))
  const exchangeFee = form === 'after' ? 0n : times(gross, exchangeShare)
  const subtotal = gross - developerFee - exchangeFee
  const center = pegs[coin] === source ? one : dec(rates[source] ?? '1')
  const rate = pegs[coin] === source ? one : times(center, dec(`0.9${draw.digits(3)}`))
  const converted = rate === one ? subtotal : roundTo(times(subtotal, rate), 6)
  const feeAfter = form === 'after' ? roundTo(times(converted, exchangeShare), 6) : 0n
  const left = converted - feeAfter
  const gas = dec(draw.of(['0', '0', '0.000001', '0.35']))
  const isPoor = gas >= left
  return {
    gross,
    developerFee,
    exchangeFee,
    subtotal,
    converted,
    feeAfter,
    gas: isPoor ? 0n : gas,
    rate,
    net: isPoor ? left : left - gas,
  }
}

/** Numbers by which one form looks like the other. */
function isAmbiguous({ subtotal, converted }: Books, form: Form): boolean {
  return (form === 'older' || form === 'unmarked') && subtotal === converted
}

const ways = [
  'completed',
  'completed',
  'completed',
  'completed',
  'completed_refunded',
  'submitted',
  'received',
  'in_review',
  'refunded',
  'refunded_unlinked',
  'refund_pending',
  'refund_failed',
  'refunded_at_last',
  'microdeposit',
] as const
const flaws = [
  'none',
  'none',
  'none',
  'none',
  'gross_off',
  'fees_off',
  'final_off',
  'no_exchange_fee',
  'no_arrival',
  'unreadable',
] as const

/** One deposit, or two where a refund names none. */
export function drawStory(draw: Draws, pair: Pair): Story {
  const isConverted = pegs[pair.coin] !== pair.source
  const way = draw.of(ways)
  const form = draw.of<Form>(
    isConverted ? ['older', 'newer', 'after', 'unmarked', 'none'] : ['older', 'newer', 'after', 'none'],
  )
  let books = drawBooks(draw, pair, form)
  while (isConverted && isAmbiguous(books, form)) books = drawBooks(draw, pair, form)
  const isPaid = way.startsWith('completed') || way === 'submitted'
  const flaw = isPaid ? draw.of(flaws) : 'none'
  return tell(draw, pair, { way, form, books, flaw, tellsRate: draw.chance(20) })
}

type Plan = {
  way: (typeof ways)[number]
  form: Form
  books: Books
  flaw: (typeof flaws)[number]
  tellsRate: boolean
}

function tell(draw: Draws, pair: Pair, plan: Plan): Story {
  const { way, books, flaw } = plan
  const id = randomUUID()
  const at =
    Date.parse(`${draw.of(days as [string, ...string[]])}T00:00:00Z`) + draw.of([0, 86_399_999, draw.below(86_400_000)])
  const time = (ms: number) => new Date(ms).toISOString()
  const write = (value: bigint) => written(draw, value)
  const cased = (word: string) => (draw.chance(10) ? word.toUpperCase() : word)
  const steps: Record<string, unknown>[] = []
  const step = (type: string, ms: number, more: object) =>
    steps.push({
      id: randomUUID(),
      type,
      customer_id: pair.ids.customer,
      virtual_account_id: pair.ids.account,
      deposit_id: id,
      created_at: time(ms),
      source: { payment_rail: 'wire', originator_name: '=Ada, "Countess" Lovelace' },
      ...more,
    })
  const arrived = flaw === 'gross_off' ? books.gross + one : books.gross
  const amount = flaw === 'unreadable' ? draw.of(['1,000.00', '#1234567890.1234567', 'a lot', '']) : write(arrived)
  const came = { amount, currency: cased(pair.source) }
  if (way === 'microdeposit') step('microdeposit', at, came)
  else if (flaw !== 'no_arrival') step('funds_received', at - 120_000, came)
  const mayBeReviewed = !['received', 'microdeposit', 'refunded_unlinked'].includes(way) && flaw !== 'no_arrival'
  if (way === 'in_review' || (mayBeReviewed && draw.chance(15))) step('in_review', at - 90_000, came)
  const isPaid = way.startsWith('completed') || way === 'submitted'
  const word = draw.of([pair.coin, pair.coin, 'usd', pair.source] as [string, ...string[]])
  const payout = { amount: write(books.net), currency: cased(word), ...ownAmounts(pair, plan, write) }
  const isReceipted = plan.form !== 'none' && way !== 'submitted'
  if (isPaid)
    step('payment_submitted', at - 60_000, {
      ...payout,
      receipt: draw.chance(50) ? { initial_amount: write(books.gross) } : undefined,
    })
  const isInitialTold = isPaid && steps.at(-1)?.['receipt'] !== undefined
  if (way.startsWith('completed'))
    step('payment_processed', at, { ...payout, ...(isReceipted ? { receipt: receiptOf(plan, write) } : {}) })
  const back = refundOf(draw, pair, plan, at)
  const returns: Record<string, readonly string[]> = {
    refund_pending: ['refund_in_flight'],
    refund_failed: ['refund_in_flight', 'refund_failed'],
    refunded_at_last: ['refund_in_flight', 'refund_failed', 'refund_in_flight', 'refund'],
    completed_refunded: ['refund'],
    refunded: ['refund_in_flight', 'refund'],
    refunded_unlinked: ['refund'],
  }
  for (const [nth, type] of (returns[way] ?? []).entries())
    step(type, back.at - (3 - nth) * 1000, {
      amount: write(back.amount),
      ...(back.word === null ? {} : { currency: cased(back.word) }),
      ...(type === 'refund' && back.refundedAt !== null
        ? { refund: { code: 'x', reason: 'y', refunded_at: back.refundedAt } }
        : {}),
      ...(way === 'refunded_unlinked' ? { deposit_id: undefined } : {}),
    })
  const isGrossKnown = flaw !== 'no_arrival' && flaw !== 'unreadable'
  const gross = isGrossKnown ? arrived : isInitialTold || (isReceipted && isPaid) ? books.gross : null
  return { steps, expected: expectations(pair, plan, { id, at, steps, back, gross, word, isInitialTold }) }
}

/** The amounts of a payout outside its receipt: true in dollars, and anything in another currency. */
function ownAmounts({ source, coin }: Pair, { books, form }: Plan, write: (value: bigint) => string) {
  const garbage = write(dec('77.77'))
  const isDollar = source === 'usd' && form !== 'after'
  return {
    ...(source === 'usd' && form === 'after'
      ? {}
      : {
          developer_fee_amount: isDollar ? write(books.developerFee) : garbage,
          exchange_fee_amount: isDollar ? write(books.exchangeFee) : garbage,
          subtotal_amount: isDollar ? write(books.subtotal) : garbage,
        }),
    gas_fee: pegs[coin] === 'usd' ? write(books.gas) : garbage,
  }
}

function receiptOf({ books, form, flaw, tellsRate }: Plan, write: (value: bigint) => string) {
  const { gross, developerFee, exchangeFee, subtotal, converted, feeAfter, gas, net, rate } = books
  const off = (value: bigint, name: typeof flaw, by: string) => write(flaw === name ? value + dec(by) : value)
  const left = converted - feeAfter
  const isMarked = form === 'newer' || form === 'after'
  const marks = {
    pre_conversion_subtotal_amount: write(subtotal),
    converted_amount: write(converted),
    mid_market_rate: '9.99',
  }
  return {
    initial_amount: write(gross),
    developer_fee: off(developerFee, 'fees_off', '1.5'),
    ...(isMarked && flaw === 'no_exchange_fee'
      ? {}
      : { exchange_fee: write(form === 'after' ? feeAfter : exchangeFee) }),
    ...(isMarked ? marks : {}),
    subtotal_amount: write(form === 'older' ? subtotal : left),
    gas_fee: write(gas),
    final_amount: off(net, 'final_off', '0.03'),
    ...(tellsRate ? { exchange_rate: write(rate) } : {}),
    destination_tx_hash: `0x${randomUUID()}`,
  }
}

/** The refund: amount, the provider's currency word, and time. */
function refundOf(draw: Draws, { source }: Pair, { books }: Plan, completedAt: number) {
  const at = completedAt + draw.of([60_000, 86_400_000])
  return {
    at,
    amount: draw.chance(50) ? books.gross : times(books.gross, dec('0.9')),
    word: draw.of([source, source, source, 'usd', null] as [string | null, ...(string | null)[]]),
    refundedAt: draw.chance(50) ? new Date(at + 3_600_000).toISOString() : null,
  }
}

type Told = {
  id: string
  at: number
  steps: Record<string, unknown>[]
  back: ReturnType<typeof refundOf>
  gross: bigint | null
  word: string
  isInitialTold: boolean
}

const statuses: Readonly<Record<string, string>> = {
  completed_refunded: 'refunded',
  submitted: 'payout_submitted',
  refunded_unlinked: 'received',
  refund_failed: 'failed',
  refunded_at_last: 'refunded',
}

function expectations(pair: Pair, plan: Plan, told: Told): Expected[] {
  const { way } = plan
  const { id, at, back, gross, steps } = told
  const inSource = (value: bigint | null): Amount => (value === null ? null : { value, currency: pair.source })
  const isReturned = /^(refunded|completed_refunded)/.test(way)
  const isUnlinked = way === 'refunded_unlinked'
  const returned = {
    refunded: (back.word ?? 'usd') === pair.source ? inSource(back.amount) : null,
    refundedAt: back.refundedAt ?? new Date(back.at - (3 - returnsOf(way)) * 1000).toISOString(),
  }
  const nothing = {
    account: pair.account,
    sourceCurrency: pair.source,
    destinationCurrency: pair.coin,
    gross: null,
    developerFee: null,
    exchangeFee: null,
    subtotal: null,
    feeAfter: null,
    gas: null,
    net: null,
    rate: null,
    rateSource: null,
    refunded: null,
    refundedAt: null,
    completedAt: null,
  }
  const deposit: Expected = {
    ...nothing,
    ...paidOut(pair, plan, told),
    providerDepositId: id,
    status: (statuses[way] ?? way) as string,
    gross: inSource(gross),
    completedAt: way.startsWith('completed') ? new Date(at).toISOString() : null,
    ...(isReturned && !isUnlinked ? returned : {}),
    steps: steps.length - (isUnlinked ? 1 : 0),
  }
  if (!isUnlinked) return [deposit]
  const alone = { ...nothing, providerDepositId: String(steps.at(-1)?.['id']), status: 'refunded', steps: 1 }
  return [deposit, { ...alone, ...returned }]
}

/** The place of the refund among the steps of a return. */
const returnsOf = (way: string): number => ({ refunded: 1, refunded_at_last: 3 })[way] ?? 0

/** The amounts of fees, conversion and payout. */
function paidOut({ source, coin }: Pair, { way, form, books, flaw, tellsRate }: Plan, { word }: Told) {
  if (!way.startsWith('completed') && way !== 'submitted') return {}
  const inSource = (value: bigint): Amount => ({ value, currency: source })
  const inCoin = (value: bigint): Amount => ({ value, currency: coin })
  const { developerFee, exchangeFee, subtotal, converted, feeAfter, gas, net, rate } = books
  const fees = {
    developerFee: inSource(developerFee),
    exchangeFee: inSource(exchangeFee),
    subtotal: inSource(subtotal),
    feeAfter: inCoin(feeAfter),
  }
  const derived = (value: bigint) =>
    quotient(value, subtotal) === 0n ? {} : { rate: quotient(value, subtotal), rateSource: 'derived' }
  const fromReceipt = (value: bigint) => (tellsRate ? { rate, rateSource: 'provider' } : derived(value))
  if (way === 'submitted' || form === 'none') {
    const isClear = (word === 'usd' && pegs[coin] === 'usd') || word === coin
    const sent = { gas: pegs[coin] === 'usd' ? inCoin(gas) : null, net: isClear ? inCoin(net) : null }
    const isBooked = source === 'usd' && form !== 'after' && flaw !== 'gross_off'
    return isBooked ? { ...fees, ...sent, ...derived(net + gas) } : sent
  }
  const sent = { gas: inCoin(gas), net: inCoin(net) }
  const isMarked = form === 'newer' || form === 'after'
  if (flaw === 'final_off') {
    if (isMarked) return {}
    // Without the marks of the newer form, this is an older receipt of another rate, or fits no form.
    const other = { gas: inCoin(gas), net: inCoin(net + dec('0.03')) }
    return form === 'older' ? { ...fees, ...other, ...derived(net + dec('0.03') + gas) } : other
  }
  if (flaw === 'gross_off' || flaw === 'fees_off') return sent
  // The amounts into and out of the conversion are certain without the fees.
  if (isMarked && flaw === 'no_exchange_fee')
    return { ...sent, subtotal: inSource(subtotal), ...fromReceipt(converted) }
  if (form === 'unmarked') {
    const isFree = developerFee === 0n && exchangeFee === 0n
    return isFree ? { ...fees, ...sent, ...fromReceipt(converted) } : sent
  }
  return { ...fees, ...sent, ...fromReceipt(converted) }
}
