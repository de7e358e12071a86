// The emulator's levers, which the real provider lacks: deposits made to happen and moved on, KYC decided, its clock moved.

import { request } from 'undici'
import { isJsonObject, type JsonObject } from '../platform/values/json.ts'
import { ProviderError, type SandboxControl } from './port.ts'

/** @param origin of the emulator */
export function createSandboxControl(origin: string, timeoutMs: number): SandboxControl {
  const command = async (path: string, body: JsonObject | null): Promise<JsonObject> => {
    const answer = await send(`${origin}/_sandbox${path}`, body, timeoutMs)
    const { status } = answer
    if (status === 404) throw new ProviderError('not_found', { status })
    if (status >= 500) throw new ProviderError('unavailable', { status })
    if (status < 400) return answer.body
    const { code } = answer.body
    throw new ProviderError('rejected', {
      status,
      code: typeof code === 'string' ? code : null,
      fields: complaintsOf(answer.body),
    })
  }
  const clockOf = ({ now, offset_ms: offsetMs }: JsonObject) => {
    if (typeof now !== 'string' || typeof offsetMs !== 'number') throw new ProviderError('unavailable')
    return { now, offsetSeconds: Math.round(offsetMs / 1_000) }
  }
  return {
    async deposit(virtualAccountId, input) {
      const path = `/virtual_accounts/${encodeURIComponent(virtualAccountId)}/deposits`
      const { deposit_id: id } = await command(path, input)
      if (typeof id !== 'string') throw new ProviderError('unavailable')
      return id
    },
    async advanceDeposit(depositId, to) {
      await command(`/deposits/${encodeURIComponent(depositId)}/advance`, { to })
    },
    async decideKyc(customerId, ruling) {
      await command(`/customers/${encodeURIComponent(customerId)}/kyc`, ruling)
    },
    readClock: async () => clockOf(await command('/clock', null)),
    moveClock: async (seconds) => clockOf(await command('/clock', { advance_ms: seconds * 1_000 })),
  }
}

/** Field → what is wrong with it; the whole body where it names none. */
function complaintsOf({ message, source }: JsonObject): Record<string, string> {
  const named = isJsonObject(source) && isJsonObject(source['key']) ? Object.entries(source['key']) : []
  const fields = named.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  if (fields.length > 0) return Object.fromEntries(fields)
  return typeof message === 'string' ? { body: message } : {}
}

async function send(
  url: string,
  body: JsonObject | null,
  timeoutMs: number,
): Promise<{ status: number; body: JsonObject }> {
  try {
    const response = await request(url, {
      ...(body === null
        ? { method: 'GET' }
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    })
    const json: unknown = await response.body.json()
    return { status: response.statusCode, body: isJsonObject(json) ? json : {} }
  } catch (cause) {
    throw new ProviderError(wasSent(cause) ? 'timeout' : 'unreachable', { cause })
  }
}

const beforeSending: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Without a connection nothing has left; anything later leaves the outcome open. */
function wasSent(cause: unknown): boolean {
  return !(cause instanceof Error && 'code' in cause && beforeSending.has(String(cause.code)))
}
