// Controls of the sandbox provider, which the real provider lacks: create and advance deposits, accept terms, decide
// KYC, advance the clock, simulate errors. And its webhook inboxes.

import type { JsonObject } from '../platform/values/json.ts'
import { readInbox, readSettings } from './emulator-inbox.ts'
import { type Body, createCaller, path, type Wire } from './http/caller.ts'
import { failureOfAnswer } from './http/failures.ts'
import { member, readList, readObject, requiredText, text, WireError } from './http/fields.ts'
import { ProviderError } from './port.ts'

/** The controls. They reject only with a `ProviderError`. */
export type SandboxControl = ReturnType<typeof createSandboxControl>

/** The states of an information request, in the terms of the sandbox provider. */
const requestStates = { action_required: 'on_developer', in_review: 'on_bridge', closed: 'closed' } as const

/** Error codes that the sandbox provider can simulate. */
export const faultRefusals = [
  'not_allowed',
  'frozen',
  'duplicate_record',
  'resource_state_conflict',
  'unprocessable_entity',
  'developer_limits_exceeded',
  'Invalid',
] as const

/** The sandbox provider's control protocol, defined by this project. */
const control: Wire = {
  headersOf: () => ({}),
  errorOf: (answer) =>
    failureOfAnswer(answer, (body) => ({
      code: text(body, 'code'),
      reason: text(body, 'message'),
      fields: textsIn(member(member(body, 'source'), 'key')),
    })),
}

const textsIn = (names: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(names).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

/** @param origin of the sandbox provider */
export function createSandboxControl(origin: string, timeoutMs: number) {
  const { call } = createCaller(control, { baseUrl: `${origin}/_sandbox`, timeoutMs })
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
    /** @returns the provider's deposit ID */
    deposit: async (virtualAccountId: string, input: JsonObject) =>
      post('deposit', path`/virtual_accounts/${virtualAccountId}/deposits`, input, (answer) =>
        requiredText(readObject(answer), 'deposit', 'deposit_id'),
      ),
    /** @param to `completed`, `refunded`, `refund_failed` from a review, or `next` for the next step */
    advanceDeposit: async (id: string, to: string) =>
      post('advanceDeposit', path`/deposits/${id}/advance`, { to }, nothing),
    /** @returns the provider's ID of the request */
    openInformationRequest: async (order: JsonObject) =>
      post('openInformationRequest', '/rfis', order, (answer) => requiredText(readObject(answer), 'request', 'id')),
    moveInformationRequest: async (id: string, to: keyof typeof requestStates) =>
      post('changeInformationRequest', path`/rfis/${id}`, { state: requestStates[to] }, nothing),
    decideKyc: async (customerId: string, ruling: JsonObject) =>
      post('decideKyc', path`/customers/${customerId}/kyc`, ruling, nothing),
    /** @param link to the terms @returns the ID of the signed agreement */
    acceptTerms: async (link: string) =>
      post('acceptTerms', '/terms/accept', { link }, (answer) =>
        requiredText(readObject(answer), 'agreement', 'signed_agreement_id'),
      ),
    addFault: (order: JsonObject) => post('addFault', '/faults', order, readFault),
    listFaults: () =>
      call({
        operation: 'listFaults',
        method: 'GET',
        path: '/faults',
        read: (answer) => readList(readObject(answer)['data']).map(readFault),
      }),
    /** @returns how many there were */
    clearFaults: () =>
      call({
        operation: 'clearFaults',
        method: 'DELETE',
        path: '/faults',
        read: (answer) => requiredNumber(readObject(answer), 'cleared'),
      }),
    ...inboxControl(origin, timeoutMs),
    readClock: () => call({ operation: 'readClock', method: 'GET', path: '/clock', read: readClock }),
    /** Everything that becomes due in the skipped time has happened when this resolves. */
    moveClock: (seconds: number) => post('moveClock', '/clock', { advance_ms: seconds * 1_000 }, readClock),
  }
}

/** Controls of the webhook inboxes. */
function inboxControl(origin: string, timeoutMs: number) {
  const { call } = createCaller(control, { baseUrl: origin, timeoutMs })
  return {
    /** @returns the newest deliveries that the inbox received, and its configured response */
    readInbox: async (name: string, limit: number) =>
      call({
        operation: 'readInbox',
        method: 'GET',
        path: path`/inbox/${name}/messages`,
        query: { limit },
        read: readInbox,
      }),
    configureInbox: async (name: string, settings: JsonObject) =>
      call({
        operation: 'configureInbox',
        method: 'PUT',
        path: path`/inbox/${name}/settings`,
        body: settings,
        read: (answer) => readSettings(readObject(answer)),
      }),
  }
}

const nothing = () => undefined

/** Reads the sandbox clock, and how far it is ahead of the machine's. */
function readClock(answer: unknown) {
  const clock = readObject(answer)
  const offsetMs = clock['offset_ms']
  if (typeof offsetMs !== 'number') throw new WireError('clock without offset_ms')
  return { now: requiredText(clock, 'clock', 'now'), offsetSeconds: Math.round(offsetMs / 1_000) }
}

function readFault(answer: unknown) {
  const fault = readObject(answer)
  return {
    id: requiredText(fault, 'fault', 'id'),
    path: requiredText(fault, 'fault', 'path'),
    mode: requiredText(fault, 'fault', 'mode'),
    method: text(fault, 'method'),
    status: requiredNumber(fault, 'status'),
    delayMs: requiredNumber(fault, 'delay_ms'),
    timesLeft: requiredNumber(fault, 'times_left'),
    hits: requiredNumber(fault, 'hits'),
  }
}

function requiredNumber(object: JsonObject, name: string): number {
  const value = object[name]
  if (typeof value !== 'number') throw new WireError(`no number ${name}`)
  return value
}
