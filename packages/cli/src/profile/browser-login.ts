// `causeway login --browser`: the user confirms in the console, which issues a key and sends it to this process by a loopback
// redirect (RFC 8252, section 7.3). The key is encrypted for this process, so the redirect URL is useless to anyone else.

import { constants, generateKeyPair, type KeyObject, privateDecrypt, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import type { Context } from '../command.ts'
import { interruptOf } from '../watching/interrupt.ts'
import { openBrowser } from './open-browser.ts'
import { NotSignedIn } from './resolve.ts'

const waitMinutesMax = 5
const host = '127.0.0.1'

/**
 * Waits until the user has confirmed in the console of this deployment.
 * @returns the issued key; null after Ctrl-C
 * @throws NotSignedIn when it was refused in the browser, or not confirmed within five minutes
 */
export async function keyByBrowser({ env, terminal }: Context, baseUrl: string): Promise<string | null> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  // Starts with a letter, because the router of the console would parse digits alone as a number.
  const state = `cli_${randomBytes(16).toString('hex')}`
  const pages = consoleOf(baseUrl)
  const listener = await listen({ state, privateKey, pages })
  try {
    const page = new URL('cli-login', pages)
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64url')
    page.search = String(new URLSearchParams({ port: String(listener.port), state, key, device: deviceName() }))
    terminal.complain(`Confirm in the console if it shows this code: ${pairingCode(state)}\n${page}`)
    openBrowser(env, String(page))
    terminal.complain(`Waiting for the browser for up to ${waitMinutesMax} minutes. Press Ctrl-C to cancel.`)
    return await first(listener.answer, interruptOf(terminal))
  } finally {
    listener.close()
  }
}

/** Identifies the request in the terminal and on the page, so that a user does not confirm the request of someone else. */
const pairingCode = (state: string): string => `${state.slice(4, 8)}-${state.slice(8, 12)}`.toUpperCase()

const consoleOf = (baseUrl: string): URL => new URL('console/', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)

const deviceName = (): string =>
  hostname()
    .replace(/[^\w.-]/g, '')
    .slice(0, 60) || 'this computer'

/** @returns null when the signal comes first */
async function first(answer: Promise<string>, signal: AbortSignal): Promise<string | null> {
  const waited = AbortSignal.timeout(waitMinutesMax * 60_000)
  const ended = AbortSignal.any([signal, waited])
  const end = ended.aborted ? Promise.resolve() : once(ended, 'abort')
  const outcome = await Promise.race([answer, end.then(() => null)])
  if (outcome === null && !signal.aborted)
    throw new NotSignedIn(`Not confirmed within ${waitMinutesMax} minutes. Run \`causeway login --browser\` again.`)
  return outcome
}

type Expected = { state: string; privateKey: KeyObject; pages: URL }
type Listener = { port: number; answer: Promise<string>; close(): void }

/** Listens only on loopback, on a port that the system chooses. */
async function listen(expected: Expected): Promise<Listener> {
  const { promise: answer, resolve, reject } = Promise.withResolvers<string>()
  answer.catch(() => {}) // it may come after Ctrl-C, when nobody waits
  const server: Server = createServer((request, response) => {
    const outcome = outcomeOf(request, portOf(server), expected)
    respond(response, outcome, expected.pages)
    if (outcome.kind === 'confirmed') resolve(outcome.key)
    if (outcome.kind === 'refused')
      reject(new NotSignedIn('The sign-in was refused in the browser. No API key was issued.'))
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: portOf(server),
    answer,
    close() {
      server.close()
      server.closeIdleConnections()
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the listener has no port')
  return address.port
}

type Outcome = { kind: 'confirmed'; key: string } | { kind: 'refused' } | { kind: 'stray'; status: number }

/**
 * Reads the request of the browser. Any page can send a browser here, so only a request with the state of this sign-in counts. A
 * request with another host name (DNS rebinding) does not count.
 */
function outcomeOf(request: IncomingMessage, port: number, { state, privateKey }: Expected): Outcome {
  const url = new URL(request.url ?? '/', `http://${host}:${port}`)
  if (request.headers.host !== `${host}:${port}`) return { kind: 'stray', status: 421 }
  if (request.method !== 'GET') return { kind: 'stray', status: 405 }
  if (url.pathname !== '/') return { kind: 'stray', status: 404 }
  if (url.searchParams.get('state') !== state) return { kind: 'stray', status: 400 }
  if (url.searchParams.get('error') !== null) return { kind: 'refused' }
  const key = unsealed(url.searchParams.get('sealed') ?? '', privateKey)
  return key === null ? { kind: 'stray', status: 400 } : { kind: 'confirmed', key }
}

function unsealed(sealed: string, key: KeyObject): string | null {
  try {
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    return privateDecrypt({ key, ...padding }, Buffer.from(sealed, 'base64url')).toString('utf8')
  } catch {
    return null
  }
}

/** Redirects the browser to the console, whose page shows the result. */
function respond(response: ServerResponse, outcome: Outcome, pages: URL): void {
  response.setHeader('connection', 'close')
  response.setHeader('cache-control', 'no-store')
  response.setHeader('referrer-policy', 'no-referrer')
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  if (outcome.kind === 'stray') {
    response.writeHead(outcome.status).end('This request does not belong to the sign-in that waits in the terminal.\n')
    return
  }
  response.writeHead(303, { location: String(new URL(`cli-login?outcome=${outcome.kind}`, pages)) }).end()
}
