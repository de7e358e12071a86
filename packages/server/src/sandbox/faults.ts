// Faults of the emulated provider: the next matching requests fail in a chosen way. They are everybody's, as its clock is.

import { fail } from '../platform/errors.ts'
import type { Sandbox } from './ports.ts'
import { controlled, leversOf } from './service.ts'

export const faultModes = [
  'status',
  'refuse',
  'delay',
  'cut_before',
  'cut_after',
  'unreadable',
  'garbage',
  'hang',
] as const

export type FaultOrder = {
  path: string
  mode: (typeof faultModes)[number]
  method?: string
  code?: string
  status?: number
  times?: number
  delayMs?: number
}

/** Lists the faults that were ordered, those that are used up included. @throws ApiError `provider_unavailable`, `provider_timeout` */
export async function listFaults(deps: Sandbox) {
  return (await controlled({}, () => leversOf(deps).listFaults())).map(faultView)
}

/**
 * Orders a fault.
 * @throws ApiError `invalid_value` when the mode and the code do not go together, `provider_rejected` when the emulator has too
 *   many faults or the path is no regular expression, `provider_unavailable`, `provider_timeout`
 */
export async function addFault(deps: Sandbox, { delayMs, ...order }: FaultOrder) {
  if ((order.mode === 'refuse') !== (order.code !== undefined)) {
    const message = 'code is required for the mode refuse, and not allowed for other modes.'
    throw fail('invalid_value', { message, details: [{ param: 'code', code: 'invalid_value', message }] })
  }
  const sent = { ...order, ...(delayMs !== undefined && { delay_ms: delayMs }) }
  return faultView(await controlled(sent, () => leversOf(deps).addFault(sent)))
}

/** Ends all faults. @throws ApiError `provider_unavailable`, `provider_timeout` */
export async function clearFaults(deps: Sandbox) {
  return { cleared: await controlled({}, () => leversOf(deps).clearFaults()) }
}

type Fault = Awaited<ReturnType<ReturnType<typeof leversOf>['addFault']>>

/** The emulator may be of another version: a mode that is not known here reads as a status. */
function faultView({ mode, ...fault }: Fault) {
  return { ...fault, mode: faultModes.find((known) => known === mode) ?? 'status' }
}
