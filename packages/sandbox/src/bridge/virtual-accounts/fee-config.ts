// Fees by bank rail: the request names fees for all rails at once, for single rails, or both; the response always names them
// by rail, or `default`.

import { type Decimal, isDecimal, parseDecimal, percentOf, smaller } from '../../platform/decimal.ts'
import { invalidParameters, type Problems } from '../../platform/errors.ts'
import { type Rail, rails } from './currencies.ts'

const feeFields = ['fee_percent', 'fee_amount', 'minimum_fee', 'maximum_fee'] as const
export type Fees = Partial<Record<(typeof feeFields)[number], string>>
export type FeeConfig = { source: Record<string, Fees> }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFeeField = (name: string): name is keyof Fees => feeFields.some((field) => field === name)

/** Reads the `fee_config` of a body. @throws Refusal `invalid_parameters` */
export const readFeeConfig = (body: unknown): FeeConfig | undefined => {
  const given = isObject(body) ? (body['fee_config'] ?? undefined) : undefined
  if (given === undefined) return undefined
  const problems: Problems = {}
  const source = isObject(given) ? given['source'] : undefined
  if (!isObject(source)) throw invalidParameters('body', { 'fee_config.source': 'must be an object' })
  if (isObject(body) && body['developer_fee_percent'] !== undefined)
    problems['fee_config'] = 'cannot be combined with developer_fee_percent'
  const direct = Object.entries(source).filter(([name]) => isFeeField(name))
  const byRail = Object.entries(source).filter(([name]) => !isFeeField(name))
  const config: FeeConfig['source'] = {}
  if (direct.length > 0) config['default'] = readFees(Object.fromEntries(direct), 'fee_config.source', problems)
  for (const [name, fees] of byRail) {
    const path = `fee_config.source.${name}`
    if (name !== 'default' && !rails.some((rail) => rail === name)) problems[path] = 'Not supported'
    config[name] = { ...config[name], ...readFees(fees, path, problems) }
  }
  if (Object.keys(problems).length > 0) throw invalidParameters('body', problems)
  return { source: config }
}

const readFees = (value: unknown, path: string, problems: Problems): Fees => {
  if (!isObject(value)) problems[path] = 'must be an object'
  const fees: Fees = {}
  for (const [name, amount] of isObject(value) ? Object.entries(value) : []) {
    const isNumber = typeof amount === 'string' && isDecimal(amount)
    const isPercent = isNumber && parseDecimal(amount) < parseDecimal('100')
    if (isFeeField(name) && (name === 'fee_percent' ? isPercent : isNumber)) fees[name] = String(amount)
    else problems[`${path}.${name}`] = 'must be a decimal string'
  }
  return fees
}

export const feesOn = (rail: Rail, { source }: FeeConfig): Fees => source[rail] ?? source['default'] ?? {}

/** Takes the fixed part first, and the percentage of what is left. */
export const feeOf = (initial: Decimal, fees: Fees, decimals: number): Decimal => {
  const read = (name: keyof Fees) => parseDecimal(fees[name] ?? '0')
  const fixed = smaller(read('fee_amount'), initial)
  const whole = fixed + percentOf(initial - fixed, read('fee_percent'), decimals)
  const least = read('minimum_fee')
  const raised = whole < least ? least : whole
  const capped = fees.maximum_fee === undefined ? raised : smaller(raised, read('maximum_fee'))
  return smaller(capped, initial)
}
