// The receivers of a proof. An independent library verifies deliveries to `/<name>` on arrival. The endpoint's conduct responds,
// and each attempt is printed.

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { type Chance, chanceOf } from '../chance.ts'
import type { Attempt } from '../ledger.ts'
import { listenToParent, say } from '../line-process.ts'
import type { Expected } from '../receivers.ts'
import { namesIn } from '../verdict/names.ts'
import { conducts, type Hostile } from './conducts.ts'

/** Per thousand responses of a flaky receiver. */
const mix = { refuse: 30, reset: 15, hang: 8, slow: 30 } as const
type Reply = keyof typeof mix | 'accept'
/** Of one event, so that each delivery succeeds while the run lasts. */
const failuresMax = 3
const slowMs = 200
/** More refusals in a row would open the circuit breaker, and retries would wait for its probes. */
const forgottenOneIn = 4

type Endpoint = Expected & {
  webhook: Webhook
  chance: Chance
  /** Refused attempts, by webhook ID. */
  failures: Map<string, number>
}

const endpoints = new Map<string, Endpoint>()

function replyOf({ conduct, failures, chance }: Endpoint, webhookId: string): Reply {
  if (conduct === 'flaky') {
    const drawn = drawReply(chance)
    return (failures.get(webhookId) ?? 0) < failuresMax || drawn === 'slow' ? drawn : 'accept'
  }
  if (conduct !== 'forgetful') return 'accept'
  const isFirst = !failures.has(webhookId)
  if (isFirst) failures.set(webhookId, 0)
  return isFirst && failures.size % forgottenOneIn === 1 ? 'refuse' : 'accept'
}

function drawReply(chance: Chance): Reply {
  let drawn = chance.below(1_000)
  for (const [reply, share] of Object.entries(mix) as [keyof typeof mix, number][]) {
    if (drawn < share) return reply
    drawn -= share
  }
  return 'accept'
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const atMs = nowMs()
  const name = request.url?.slice(1) ?? ''
  const endpoint = endpoints.get(name)
  if (endpoint && Object.hasOwn(conducts, endpoint.conduct))
    return conducts[endpoint.conduct as Hostile](request, response)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const attempt = attemptOf(name, endpoint, request, Buffer.concat(chunks))
  const reply = endpoint ? replyOf(endpoint, attempt.webhookId) : 'refuse'
  const end = (accepted: boolean): void => say({ ...attempt, accepted, atMs, tookMs: nowMs() - atMs } satisfies Attempt)
  if (reply === 'slow') await delay(slowMs)
  if (reply === 'accept' || reply === 'slow') {
    end(!request.socket.destroyed) // before the response: what the sender does next happens after this time
    response.writeHead(200).end()
    return
  }
  endpoint?.failures.set(attempt.webhookId, (endpoint.failures.get(attempt.webhookId) ?? 0) + 1)
  end(false)
  if (reply === 'refuse') response.writeHead(503).end()
  else if (reply === 'reset') request.socket.resetAndDestroy()
  // `hang`: silence, until the sender closes the connection
}

function attemptOf(
  name: string,
  endpoint: Endpoint | undefined,
  { headers }: IncomingMessage,
  body: Buffer,
): Omit<Attempt, 'accepted' | 'atMs' | 'tookMs'> {
  const text = body.toString('utf8')
  const headerOf = (header: string): string => String(headers[header] ?? '')
  const signedAtMs = Number(headerOf('webhook-timestamp')) * 1_000
  const event = parsed(text)
  const webhookId = headerOf('webhook-id')
  return {
    endpoint: name,
    eventId: String(event['event_id']),
    webhookId,
    sequence: Number(headerOf('svc-sequence')),
    endUser: headerOf('svc-external-user-id'),
    place: typeof event['place'] === 'number' ? event['place'] : null,
    isVerified: isVerified(endpoint, body, headers as Record<string, string>),
    isSigned: isSigned(endpoint, { webhookId, signedAtMs, body, signatures: headerOf('webhook-signature') }),
    bodyHash: createHash('sha256').update(body).digest('base64url'),
    signedAtMs,
    names: namesIn(text),
  }
}

function isVerified(endpoint: Endpoint | undefined, body: Buffer, headers: Record<string, string>): boolean {
  try {
    endpoint?.webhook.verify(body, headers, { jsonParse: false })
    return endpoint !== undefined
  } catch {
    return false
  }
}

/** Whether the signature is right for the time that it names, whatever the time is now. */
function isSigned(
  endpoint: Endpoint | undefined,
  given: { webhookId: string; signedAtMs: number; body: Buffer; signatures: string },
): boolean {
  if (!endpoint || !Number.isFinite(given.signedAtMs)) return false
  const right = endpoint.webhook.sign(given.webhookId, new Date(given.signedAtMs), given.body)
  return given.signatures.split(' ').includes(right)
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Milliseconds since 1970 by a clock that nobody sets, with fractions: which of two came first must be certain. */
function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

const seed = Number(process.argv[2])
const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
  receive(request, response).catch(() => request.socket.destroy())
})
server.on('connection', (socket) => socket.on('error', () => {})) // senders are killed
listenToParent((line) => {
  const expected = line as Expected
  const parts = { webhook: new Webhook(expected.secret), chance: chanceOf(seed, endpoints.size), failures: new Map() }
  endpoints.set(expected.name, { ...expected, ...parts })
  say({ expects: expected.name })
})
server.listen(0, '127.0.0.1', 4_096, () => say({ port: (server.address() as AddressInfo).port }))
