// Owns the checks of `fee_config`, the fees by rail that the provider supports for some of its customers. The shape is
// the provider's and grows, so it passes through; fees are never computed from it.

import { isJsonObject, isNestedDeeper, type Json, type JsonObject } from '../../platform/values/json.ts'
import { parseDecimal } from '../../platform/values/money.ts'

const bytesMax = 4_096
/** `source`, a rail, its fees. */
const levelsMax = 3

type Fault = { code: 'invalid_length' | 'invalid_developer_fee_percent'; param: string; message: string }

/**
 * Checks a fee configuration.
 * @param percentMax the operator's cap on fees; with a cap, only percentages are accepted, because an amount cannot be
 * compared
 */
export function feeConfigFaults(percentMax: string | undefined, config: JsonObject): Fault[] {
  if (Buffer.byteLength(JSON.stringify(config)) > bytesMax) return [tooLarge(`must not exceed ${bytesMax} bytes`)]
  if (isNestedDeeper(config, levelsMax)) return [tooLarge(`must not be nested more than ${levelsMax} levels deep`)]
  return faultsOf(percentMax, config, 'fee_config')
}

function tooLarge(rule: string): Fault {
  return { code: 'invalid_length', param: 'fee_config', message: `fee_config ${rule}.` }
}

function faultsOf(percentMax: string | undefined, value: JsonObject, at: string): Fault[] {
  return Object.entries(value).flatMap(([name, member]): Fault[] => {
    const param = `${at}.${name}`
    if (isJsonObject(member)) return faultsOf(percentMax, member, param)
    const rule = name === 'fee_percent' ? percentFault(percentMax, member) : amountFault(percentMax, name)
    return rule === null ? [] : [{ code: 'invalid_developer_fee_percent', param, message: `${param} ${rule}.` }]
  })
}

function percentFault(percentMax: string | undefined, value: Json): string | null {
  const percent = typeof value === 'string' ? parseDecimal(value) : null
  if (percent === null || percent.lt(0) || percent.gte(100))
    return 'must be a decimal string from 0 up to but not including 100'
  return percentMax !== undefined && percent.gt(percentMax) ? `must not exceed ${percentMax}` : null
}

/** An upper bound of a fee makes no fee larger. */
function amountFault(percentMax: string | undefined, name: string): string | null {
  const isCapped = percentMax !== undefined && name !== 'maximum_fee'
  return isCapped ? 'must be left out: the operator caps the percentage fee' : null
}
