// The steps of the demo over HTTP, as an integrator does them: end-user, terms, KYC, accounts, deposits, and signed events at its
// own receiver, which verifies every signature.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { examplePerson } from '../fixtures/steps/person.ts'
import type { World } from '../world/world.ts'
import { bookingOf } from './booking.ts'

type Say = (line: string) => void
type ReceivedEvent = { type: string; verified: boolean; sequence: number; depositId: string | null }

const currencies = [
  { currency: 'usd', amount: '1000.00', paymentRail: 'ach_push' },
  { currency: 'eur', amount: '500.00', paymentRail: 'sepa' },
  { currency: 'mxn', amount: '20000.00', paymentRail: 'spei' },
] as const
const wallet = { payment_rail: 'solana', currency: 'usdc', address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE' }
const waitMsMax = 30_000

/** @throws Error at the first failed step */
export async function runStory(world: World, say: Say): Promise<void> {
  const call = caller(world.facts.baseUrl, world.facts.apiKey)
  const receiver = await startReceiver()
  try {
    say('\n1. Start a receiver, and set the webhook URL')
    await call('DELETE', '/v0/webhook-url')
    const { signingSecret } = await call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url })
    receiver.secret = String(signingSecret)
    say(`   receiver: ${receiver.url}`)
    await onboard(world, call, say)
    for (const [index, plan] of currencies.entries()) await payIn(call, receiver, { ...plan, step: 5 + index }, say)
    say(
      `\n${5 + currencies.length}. Events received: ${receiver.events.length}, all signatures verified, no gap in the sequence`,
    )
    if (receiver.events.some((event) => !event.verified)) throw new Error('A signature is invalid.')
    const sequences = receiver.events.map((event) => event.sequence).sort((left, right) => left - right)
    if (sequences.some((sequence, index) => sequence !== index + 1))
      throw new Error(`The sequence has a gap: ${sequences.join(' ')}`)
    for (const [type, count] of countBy(receiver.events.map((event) => event.type)))
      say(`   ${String(count).padStart(3)} × ${type}`)
    say('\nThe demo is complete. Next: run npm start, and open the link that it prints.\n')
  } finally {
    await receiver.close()
  }
}

type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>

async function onboard(world: World, call: Call, say: Say): Promise<void> {
  say('\n2. Create an end-user')
  const user = await call('POST', '/v0/end-users', { externalUserId: 'ada', email: 'ada@example.com' })
  say(`   ${user['id']}: KYC ${user['kycStatus']}`)
  say('\n3. Accept the Terms of Service')
  const link = await call('POST', '/v0/end-users/ada/tos-link')
  say(`   ${link['tosLink']}`)
  const agreement = await acceptTerms(world.sandbox.url, String(link['tosLink']))
  say(`   signed agreement ${agreement}`)
  say('\n4. Submit KYC data, and wait for the decision of the provider')
  const submitted = await call('POST', '/v0/end-users/ada/submit-kyc', {
    ...examplePerson('ada'),
    signed_agreement_id: agreement,
  })
  say(`   KYC ${submitted['kycStatus']}`)
  const approved = await until('the approval of KYC', async () => {
    const now = await call('GET', '/v0/end-users/ada')
    return now['kycStatus'] === 'approved' && railsOpen(now) ? now : null
  })
  say(`   KYC ${approved['kycStatus']}, rails ${JSON.stringify(approved['rails'])}`)
}

async function payIn(
  call: Call,
  receiver: Receiver,
  plan: (typeof currencies)[number] & { step: number },
  say: Say,
): Promise<void> {
  say(
    `\n${plan.step}. ${plan.currency.toUpperCase()}: open an account, and simulate a deposit of ${plan.amount} by ${plan.paymentRail}`,
  )
  const account = await call('POST', '/v0/virtual-accounts', {
    externalUserId: 'ada',
    source: { currency: plan.currency },
    destination: wallet,
    developer_fee_percent: '0.5',
  })
  say(`   ${account['id']} at ${account['bankName']}: ${account['bankAccountNumber']} ${account['bankRoutingNumber']}`)
  await call('POST', '/v0/sandbox/deposits', {
    virtualAccountId: account['id'],
    amount: plan.amount,
    paymentRail: plan.paymentRail,
  })
  const deposit = await until('the completion of the deposit', async () => {
    const list = (await call('GET', `/v0/virtual-accounts/${account['id']}/deposits`)) as unknown as Record<
      string,
      unknown
    >[]
    return list.find((row) => row['status'] === 'completed') ?? null
  })
  for (const line of bookingOf(deposit)) say(`   ${line}`)
  const event = await until(
    'the event at the receiver',
    async () =>
      receiver.events.find(
        ({ type, depositId }) => type === 'virtual_account.payment.received' && depositId === deposit['id'],
      ) ?? null,
  )
  say(`   received ${event.type}, signature ${event.verified ? 'verified' : 'WRONG'}`)
}

function railsOpen(user: Record<string, unknown>): boolean {
  const rails = user['rails'] as Record<string, unknown>
  return currencies.every(({ currency }) => rails[currency] === 'active')
}

/** Accepts the terms without a browser: the sandbox provider returns the ID that its page would return. */
async function acceptTerms(sandboxUrl: string, tosLink: string): Promise<string> {
  const response = await fetch(`${sandboxUrl}/_sandbox/terms/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: tosLink }),
  })
  const answer = (await response.json()) as { signed_agreement_id?: string }
  if (!answer.signed_agreement_id) throw new Error('The Terms of Service could not be accepted.')
  return answer.signed_agreement_id
}

function caller(baseUrl: string, apiKey: string): Call {
  return async (method, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { data?: Record<string, unknown>; error?: unknown }
    if (!response.ok || !answer.data)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer.error)}`)
    return answer.data
  }
}

type Receiver = { url: string; secret: string; events: ReceivedEvent[]; close(): Promise<void> }

async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    receiver.events.push(readDelivery(request, body, receiver.secret))
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server's address is never a path
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/events`,
    secret: '',
    events: [],
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return receiver
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Standard Webhooks, as a receiver checks it: HMAC-SHA256 over `id.timestamp.body`. */
function readDelivery(request: IncomingMessage, body: string, secret: string): ReceivedEvent {
  const header = (name: string): string => String(request.headers[name] ?? '')
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key)
    .update(`${header('webhook-id')}.${header('webhook-timestamp')}.${body}`)
    .digest()
  const verified = header('webhook-signature')
    .split(' ')
    .map((part) => Buffer.from(part.replace(/^v1,/, ''), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
  const event = JSON.parse(body) as { event_type: string; data?: { id?: string } }
  return {
    type: event.event_type,
    verified,
    sequence: Number(header('svc-sequence')),
    depositId: event.data?.id ?? null,
  }
}

async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + waitMsMax
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (Date.now() > deadline) throw new Error(`Timed out after ${waitMsMax / 1000} s waiting for ${what}.`)
    await delay(100)
  }
}

function countBy(names: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names.toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
