// The emulator's levers, which the real provider lacks: deposits made to happen and moved on, KYC decided, its clock moved.

import { type Body, createCaller, path } from './caller.ts'
import { ProviderError, type SandboxControl } from './port.ts'
import { readObject, requiredText, WireError } from './wire/fields.ts'

/** @param origin of the emulator */
export function createSandboxControl(origin: string, timeoutMs: number): SandboxControl {
  const { call } = createCaller({ baseUrl: `${origin}/_sandbox`, apiKey: '', timeoutMs })
  const post = async <T>(operation: keyof SandboxControl, at: string, body: Body, read: (answer: unknown) => T) => {
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
    deposit: async (virtualAccountId, input) =>
      post('deposit', path`/virtual_accounts/${virtualAccountId}/deposits`, input, (answer) =>
        requiredText(readObject(answer), 'deposit', 'deposit_id'),
      ),
    advanceDeposit: async (id, to) => post('advanceDeposit', path`/deposits/${id}/advance`, { to }, nothing),
    decideKyc: async (customerId, ruling) => post('decideKyc', path`/customers/${customerId}/kyc`, ruling, nothing),
    readClock: () => call({ operation: 'readClock', method: 'GET', path: '/clock', read: readClock }),
    moveClock: (seconds) => post('moveClock', '/clock', { advance_ms: seconds * 1_000 }, readClock),
  }
}

const nothing = () => undefined

function readClock(answer: unknown) {
  const clock = readObject(answer)
  const offsetMs = clock['offset_ms']
  if (typeof offsetMs !== 'number') throw new WireError('clock without offset_ms')
  return { now: requiredText(clock, 'clock', 'now'), offsetSeconds: Math.round(offsetMs / 1_000) }
}
