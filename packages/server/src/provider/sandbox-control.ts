// The emulator's levers, which the real provider lacks: a deposit made to happen, a KYC case decided.

import { request } from 'undici'
import { isJsonObject, type JsonObject } from '../domain/json.ts'
import { ProviderError, type SandboxControl } from './port.ts'

/** @param origin of the emulator */
export function createSandboxControl(origin: string, timeoutMs: number): SandboxControl {
  const post = async (path: string, body: JsonObject): Promise<JsonObject> => {
    const answer = await send(`${origin}/_sandbox${path}`, body, timeoutMs)
    if (answer.status === 404) throw new ProviderError('not_found', { status: 404 })
    if (answer.status >= 500) throw new ProviderError('unavailable', { status: answer.status })
    if (answer.status >= 400) {
      const { code, message } = answer.body
      const fields = typeof message === 'string' ? { body: message } : {}
      throw new ProviderError('rejected', {
        status: answer.status,
        code: typeof code === 'string' ? code : null,
        fields,
      })
    }
    return answer.body
  }
  return {
    async deposit(virtualAccountId, input) {
      const { deposit_id: id } = await post(`/virtual_accounts/${encodeURIComponent(virtualAccountId)}/deposits`, input)
      if (typeof id !== 'string') throw new ProviderError('unavailable')
      return id
    },
    async decideKyc(customerId, decision) {
      await post(`/customers/${encodeURIComponent(customerId)}/kyc`, { decision })
    },
  }
}

async function send(url: string, body: JsonObject, timeoutMs: number): Promise<{ status: number; body: JsonObject }> {
  try {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
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
