// The receiver of an integrator, as Causeway would meet it: its address, its certificate, and whether it tells a signed request
// from one that anybody could send.

import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { sign } from '../../../sdk/src/webhooks/sign.ts'
import { isLoopback } from '../../../server/src/platform/settings.ts'
import { exampleWebhook } from '../commands/resources/document.ts'
import { type Finding, firstOf, ok, problem, seconds, warning } from './check.ts'

/** The default of WEBHOOK_TIMEOUT_MS. */
const timeoutMs = 15_000
const slowMsDefault = 5_000
const certificateDays = 14
/** The tolerance of the verifiers is 5 minutes. */
const oldMs = 3_600_000

export async function checkEndpoint(
  address: string,
  secret: string,
  now: () => number,
  slowMs = slowMsDefault,
): Promise<Finding[]> {
  const url = new URL(address)
  const certificate = url.protocol === 'https:' ? [await checkCertificate(url, now)] : []
  const found = [checkAddress(url), ...certificate]
  if (found.some(({ state }) => state === 'problem')) return found
  const signed = await post(address, (body) => sign(body, secret, { now: new Date(now()) }), now)
  if (signed.fault !== null) return [...found, unreachable(signed.fault)]
  const known = [...found, ok('receiver', 'responds'), checkSigned(signed), checkTime(signed, slowMs)]
  // A receiver that refuses a correctly signed event would refuse the others for the same reason.
  if (!isSuccess(signed.status))
    return [...known, ...['unsigned request', 'forged signature', 'old signature'].map(notChecked)]
  const forged = `whsec_${randomBytes(32).toString('base64')}`
  return [
    ...known,
    checkRefusal('unsigned request', await post(address, async () => ({}), now)),
    checkRefusal('forged signature', await post(address, (body) => sign(body, forged, { now: new Date(now()) }), now)),
    checkOld(await post(address, (body) => sign(body, secret, { now: new Date(now() - oldMs) }), now)),
  ]
}

function checkAddress({ protocol, hostname }: URL): Finding {
  const check = 'URL'
  return firstOf(
    [
      isLoopback(hostname) &&
        warning(
          check,
          'The URL is a loopback address, which only this machine can reach.',
          'For other deployments, use causeway listen or a public https URL.',
        ),
      protocol === 'http:' &&
        warning(
          check,
          'The URL uses plain http, which is allowed in sandbox mode only.',
          'Put TLS in front of the receiver, and use https.',
        ),
    ],
    ok(check, 'https'),
  )
}

const certificateFaults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the receiver does not send the intermediate certificates',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the receiver does not send the intermediate certificates',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
}

async function checkCertificate({ hostname, port }: URL, now: () => number): Promise<Finding> {
  const check = 'certificate'
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: Number(port || 443), ...(isIP(host) === 0 && { servername: host }) })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) })
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - now()) / 86_400_000)
    return days < certificateDays
      ? warning(check, `The certificate expires in ${days} days.`, 'Renew it. Every delivery fails after it expires.')
      : ok(check, `valid for ${days} days`)
  } catch (error) {
    const code = codeOf(error)
    const fault = certificateFaults[code]
    if (!fault) return unreachable(code)
    return problem(check, `Causeway cannot connect: ${fault} (${code}).`, 'Install a certificate with its full chain.')
  } finally {
    socket.destroy()
  }
}

const connectionFaults: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the DNS lookup failed',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the receiver closed the connection',
  UND_ERR_SOCKET: 'the receiver closed the connection',
  TimeoutError: `no response within ${timeoutMs / 1_000} s`,
  AbortError: `no response within ${timeoutMs / 1_000} s`,
}

function unreachable(code: string): Finding {
  const fault = connectionFaults[code] ?? 'the connection failed'
  return problem(
    'receiver',
    `The receiver cannot be reached from this machine: ${fault} (${code}).`,
    'Start the receiver, and check its URL, port and firewall.',
  )
}

type Answered = { status: number; ms: number; fault: null }
type Answer = Answered | { fault: string }

/** Posts an event that is marked as a test, so that a receiver acts on none. */
async function post(
  address: string,
  signed: (body: string) => Promise<Record<string, string>>,
  now: () => number,
): Promise<Answer> {
  const event = { event_id: `evt_${randomUUID().replaceAll('-', '')}`, created_at: new Date(now()).toISOString() }
  const body = JSON.stringify({ ...exampleWebhook('webhook_endpoint.test'), ...event })
  const headers = { 'content-type': 'application/json', 'svc-event-type': 'webhook_endpoint.test' }
  const startedMs = performance.now()
  try {
    const response = await fetch(address, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { ...headers, ...(await signed(body)) },
      body,
    })
    await response.arrayBuffer()
    return { status: response.status, ms: Math.round(performance.now() - startedMs), fault: null }
  } catch (error) {
    return { fault: codeOf(error) }
  }
}

function codeOf(error: unknown): string {
  const { cause, code, name } = error as { cause?: { code?: string }; code?: string; name?: string }
  return cause?.code ?? (typeof code === 'string' ? code : name) ?? 'error'
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

function checkSigned({ status }: Answered): Finding {
  const check = 'signed event'
  if (isSuccess(status)) return ok(check, `accepted (${status})`)
  return problem(check, `The receiver returned ${status}.`, remedyOf(status))
}

function remedyOf(status: number): string {
  if (status >= 300 && status < 400)
    return 'Use the URL that the redirect points to. Causeway does not follow redirects.'
  if (status === 404 || status === 405) return 'Check the path, and that the route accepts POST.'
  if (status >= 500) return 'Check the log of the receiver. It fails on an event of type webhook_endpoint.test.'
  return 'Check the signing secret (--secret), and verify the signature over the raw body. Next: causeway verify'
}

function checkTime({ ms }: Answered, slowMs: number): Finding {
  const check = 'response time'
  if (ms <= slowMs) return ok(check, `${ms} ms`)
  const remedy = `Respond before you process the event. An attempt times out after ${timeoutMs / 1_000} s.`
  return warning(check, `The response took ${seconds(ms / 1_000)}.`, remedy)
}

function notChecked(check: string): Finding {
  return warning(
    check,
    'Not checked, because the receiver rejects the correctly signed event.',
    'See the check “signed event”.',
  )
}

const verifyFirst = 'Verify the signature first, and respond with 401 if it is invalid. Next: causeway verify --help'

function checkRefusal(check: string, answer: Answer): Finding {
  if (answer.fault !== null) return unreachable(answer.fault)
  const { status } = answer
  if (isSuccess(status)) return problem(check, `Accepted (${status}): anyone can send forged events.`, verifyFirst)
  if (status >= 500)
    return warning(check, `The receiver fails (${status}) instead of rejecting the event.`, verifyFirst)
  if (status === 429) return warning(check, 'Not checked: too many requests (429).', 'Run the command again later.')
  return ok(check, `rejected (${status})`)
}

function checkOld(answer: Answer): Finding {
  const check = 'old signature'
  if (answer.fault !== null) return unreachable(answer.fault)
  const { status } = answer
  if (!isSuccess(status)) return ok(check, `rejected (${status})`)
  const remedy = 'Reject a webhook-timestamp that is off by more than 5 minutes.'
  const message = `An event signed one hour ago is accepted (${status}): anyone who intercepts an event can replay it.`
  return warning(check, message, remedy)
}
