// The emulator's levers, which the real provider lacks: deposits made to happen and moved on, KYC decided, its clock moved.

import type { JsonObject } from '../platform/values/json.ts'
import { type Body, createCaller, path } from './caller.ts'
import { ProviderError } from './port.ts'
import { readObject, requiredText, WireError } from './wire/fields.ts'

/** The levers. They reject with a `ProviderError` and with nothing else. */
export type SandboxControl = ReturnType<typeof createSandboxControl>

/** @param origin of the emulator */
export function createSandboxControl(origin: string, timeoutMs: number) {
  const { call } = createCaller({ baseUrl: `${origin}/_sandbox`, apiKey: '', timeoutMs })
  const post = async <T>(operation: string, at: string, body: Body, read: (answer: unknown) => T) => {
    try {
      return await call({ operation, method: 'POST', path: at, body, read })
    } catch (error) {
      if (!(error instanceof ProviderError) || error.reason === null || Object.keys(error.fields).length > 0)
        throw error
      const { kind, status, code, reason, cause } = error
      throw new ProviderError(kind, { status, code, fields: { body: reason }, cause })
    }
  }
  return {
    /** @returns the provider's deposit id */
    deposit: async (virtualAccountId: string, input: JsonObject) =>
      post('deposit', path`/virtual_accounts/${virtualAccountId}/deposits`, input, (answer) =>
        requiredText(readObject(answer), 'deposit', 'deposit_id'),
      ),
    /** @param to `completed`, `refunded`, `refund_failed` out of a review, or `next` for whatever step is ahead */
    advanceDeposit: async (id: string, to: string) =>
      post('advanceDeposit', path`/deposits/${id}/advance`, { to }, nothing),
    decideKyc: async (customerId: string, ruling: JsonObject) =>
      post('decideKyc', path`/customers/${customerId}/kyc`, ruling, nothing),
    readClock: () => call({ operation: 'readClock', method: 'GET', path: '/clock', read: readClock }),
    /** Everything that has become due by then has happened when this answers. */
    moveClock: (seconds: number) => post('moveClock', '/clock', { advance_ms: seconds * 1_000 }, readClock),
  }
}

const nothing = () => undefined

/** Reads the emulator's own time, and how far it is ahead of the machine's. */
function readClock(answer: unknown) {
  const clock = readObject(answer)
  const offsetMs = clock['offset_ms']
  if (typeof offsetMs !== 'number') throw new WireError('clock without offset_ms')
  return { now: requiredText(clock, 'clock', 'now'), offsetSeconds: Math.round(offsetMs / 1_000) }
}
