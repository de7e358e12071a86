// `causeway verify` and `causeway send`: verify or sign a webhook without a server.

import { readFile } from 'node:fs/promises'
import { SignatureError } from '../../../sdk/src/index.ts'
import { sign } from '../../../sdk/src/webhooks/sign.ts'
import { verify } from '../../../sdk/src/webhooks/verify.ts'
import { type Context, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson } from '../output/safe-text.ts'
import { show } from '../output/show.ts'
import { receiverUrl } from './receiver-url.ts'

/** Verifies a saved webhook, and reports why its signature is wrong. */
export async function verifyWebhook(context: Context): Promise<number> {
  const { flags } = context
  const headers = Object.fromEntries(texts(flags['header']).map(headerOf))
  const secret = secretOf(context)
  // For a saved webhook, only the signature matters: with --any-age, its own time is the time of the check.
  const now = new Date(Number(headers['webhook-timestamp']) * 1_000)
  const options = flags['anyAge'] && !Number.isNaN(now.getTime()) ? { now } : {}
  try {
    const { type, delivery } = await verify(await bodyOf(context), headers, secret, options)
    show(context, { valid: true, type, webhookId: delivery.webhookId, sentAt: delivery.sentAt.toISOString() })
    return exitCodes.done
  } catch (failure) {
    if (!(failure instanceof SignatureError)) throw failure
    show(context, { valid: false, reason: failure.reason, message: failure.message })
    return exitCodes.refused
  }
}

/** Signs a body and posts it. */
export async function sendWebhook(context: Context): Promise<number> {
  const body = await bodyOf(context)
  const headers = { 'content-type': 'application/json', ...(await sign(body, secretOf(context))) }
  const startedMs = performance.now()
  const to = receiverUrl('--to', context.flags['to'])
  const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual' }).catch((failure) => {
    context.terminal.complain(`causeway: ${to} cannot be reached: ${(failure as Error).message}`)
    return null
  })
  if (response === null) return exitCodes.unreachable
  const text = await response.text()
  show(context, { status: response.status, ms: Math.round(performance.now() - startedMs), headers, response: text })
  return response.ok ? exitCodes.done : exitCodes.refused
}

const texts = (given: Context['flags'][string]): readonly string[] => (Array.isArray(given) ? given : [])

function headerOf(text: string): [string, string] {
  const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(text) ?? []
  if (name === '') throw new UsageError(`--header takes "name: value", not ${safeJson(text)}`)
  return [name.toLowerCase(), value]
}

/** The secret comes from the environment, or is a test secret: other users can read arguments. */
function secretOf({ env, flags }: Context): string {
  const secret = flags['secret'] ?? env['CAUSEWAY_SIGNING_SECRET']
  if (typeof secret === 'string' && secret !== '') return secret
  throw new UsageError('No signing secret. Set CAUSEWAY_SIGNING_SECRET or use --secret.')
}

async function bodyOf({ flags, terminal }: Context): Promise<Buffer> {
  const given = String(flags['body'])
  if (given === '-') return (await terminal.readInput?.()) ?? Buffer.alloc(0)
  if (!given.startsWith('@')) return Buffer.from(given)
  return await readFile(given.slice(1)).catch(() => {
    throw new UsageError(`--body: the file ${given.slice(1)} cannot be read`)
  })
}
