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

/** Of an attempt: WEBHOOK_TIMEOUT_MS by default. */
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
  const known = [...found, ok('receiver', 'answers'), checkSigned(signed), checkTime(signed, slowMs)]
  // A receiver that refuses a correctly signed event would refuse the others for the same reason.
  if (!isSuccess(signed.status))
    return [...known, ...['unsigned request', 'forged signature', 'old signature'].map(untold)]
  const forged = `whsec_${randomBytes(32).toString('base64')}`
  return [
    ...known,
    checkRefusal('unsigned request', await post(address, async () => ({}), now)),
    checkRefusal('forged signature', await post(address, (body) => sign(body, forged, { now: new Date(now()) }), now)),
    checkOld(await post(address, (body) => sign(body, secret, { now: new Date(now() - oldMs) }), now)),
  ]
}

function checkAddress({ protocol, hostname }: URL): Finding {
  const check = 'address'
  return firstOf(
    [
      isLoopback(hostname) &&
        warning(
          check,
          'It names this machine only.',
          'For other deployments: causeway listen, or a public https address.',
        ),
      protocol === 'http:' &&
        warning(check, 'It is plain http, which is for sandbox mode only.', 'Put TLS in front of it, and use https.'),
    ],
    ok(check, 'https'),
  )
}

const certificateFaults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that nobody knows',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it does not send the certificates between its own and the authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'it does not send the certificates between its own and the authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

async function checkCertificate({ hostname, port }: URL, now: () => number): Promise<Finding> {
  const check = 'certificate'
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: Number(port || 443), ...(isIP(host) === 0 && { servername: host }) })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) })
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - now()) / 86_400_000)
    return days < certificateDays
      ? warning(check, `It ends in ${days} days.`, 'Renew it: every delivery fails from then on.')
      : ok(check, `valid for ${days} days`)
  } catch (error) {
    const code = codeOf(error)
    const fault = certificateFaults[code]
    if (!fault) return unreachable(code)
    return problem(check, `Causeway would not connect: ${fault} (${code}).`, 'Install a certificate with its chain.')
  } finally {
    socket.destroy()
  }
}

const connectionFaults: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it cut the connection',
  UND_ERR_SOCKET: 'it cut the connection',
  TimeoutError: `it does not answer within ${timeoutMs / 1_000} s`,
  AbortError: `it does not answer within ${timeoutMs / 1_000} s`,
}

function unreachable(code: string): Finding {
  const fault = connectionFaults[code] ?? 'the connection failed'
  return problem(
    'receiver',
    `It cannot be reached from here: ${fault} (${code}).`,
    'Start the receiver; check its address, its port, and the firewall.',
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
  if (isSuccess(status)) return ok(check, `taken (${status})`)
  return problem(check, `It is not taken: ${status}.`, remedyOf(status))
}

function remedyOf(status: number): string {
  if (status >= 300 && status < 400) return 'Give the address that the redirect leads to: redirects are not followed.'
  if (status === 404 || status === 405) return 'Check the path, and that the route takes POST.'
  if (status >= 500) return 'Look at the log of the receiver: it fails on an event of type webhook_endpoint.test.'
  return 'Check the signing secret (--secret), and that the signature is checked over the raw body. Next: causeway verify'
}

function checkTime({ ms }: Answered, slowMs: number): Finding {
  const check = 'time of its answer'
  if (ms <= slowMs) return ok(check, `${ms} ms`)
  const remedy = `Answer first, and work afterwards: an attempt ends after ${timeoutMs / 1_000} s.`
  return warning(check, `It took ${seconds(ms / 1_000)}.`, remedy)
}

function untold(check: string): Finding {
  return warning(
    check,
    'Not checked: the receiver refuses the signed event as well.',
    'See the finding on the signed event.',
  )
}

const verifyFirst =
  'Verify the signature before anything else, and answer 401 where it does not fit. Next: causeway verify --help'

function checkRefusal(check: string, answer: Answer): Finding {
  if (answer.fault !== null) return unreachable(answer.fault)
  const { status } = answer
  if (isSuccess(status)) return problem(check, `It is taken (${status}): anybody can make up events.`, verifyFirst)
  if (status >= 500) return warning(check, `It fails (${status}) where it should refuse.`, verifyFirst)
  if (status === 429) return warning(check, 'Not checked: too many requests (429).', 'Run the command again later.')
  return ok(check, `refused (${status})`)
}

function checkOld(answer: Answer): Finding {
  const check = 'old signature'
  if (answer.fault !== null) return unreachable(answer.fault)
  const { status } = answer
  if (!isSuccess(status)) return ok(check, `refused (${status})`)
  const remedy = 'Refuse a webhook-timestamp that is off by more than 5 minutes.'
  return warning(check, `One of an hour ago is taken (${status}): who overhears one can send it again.`, remedy)
}
