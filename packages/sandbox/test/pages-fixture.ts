// What the tests of pages and inbox share: the sandbox as a process of its own, links made over its wire, and a real
// browser watched for errors and for requests that leave this machine.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { browserPath, lacking } from '../../../scripts/test-needs.ts'

const sandboxBin = join(import.meta.dirname, '../bin/sandbox.js')
const startTimeoutMs = 15_000

/** For `describe(…, { skip })`: false when there is a browser, otherwise the reason. */
export const withoutBrowser = lacking('browser')

export type Sandbox = {
  url: string
  makeTosLink: () => Promise<string>
  makeKycLink: (person: {
    type?: string
    email?: string
    full_name?: string
    redirect_uri?: string
  }) => Promise<KycLink>
  call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>
  [Symbol.asyncDispose]: () => Promise<void>
}

export type KycLink = { kycLink: string; tosLink: string }

export const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

export const textProperty = (value: unknown, name: string): string => {
  const text = property(value, name)
  assert.ok(typeof text === 'string', `${name} must be a text in ${JSON.stringify(value)}`)
  return text
}

export const startSandbox = async (options: { embedOrigins?: string[]; flags?: string[] } = {}): Promise<Sandbox> => {
  const embed = options.embedOrigins ? ['--embed-origins', options.embedOrigins.join(',')] : []
  const child = spawn(process.execPath, [sandboxBin, '--port', '0', ...embed, ...(options.flags ?? [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const deadline = { signal: AbortSignal.timeout(startTimeoutMs) }
  const exited = once(child, 'exit', deadline).then(([code]) => assert.fail(`the sandbox exited with ${code}`))
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line', deadline), exited])
  exited.catch(() => undefined)
  const ready: unknown = JSON.parse(String(line))
  const url = textProperty(ready, 'url')
  const apiKey = textProperty(ready, 'apiKey')

  const call: Sandbox['call'] = async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        'api-key': apiKey,
        ...(method === 'POST' && path.startsWith('/v0/') && { 'idempotency-key': randomUUID() }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    url,
    call,
    makeTosLink: async () => textProperty((await call('POST', '/v0/customers/tos_links')).body, 'url'),
    makeKycLink: async (person) => {
      const link = await call('POST', '/v0/kyc_links', {
        type: 'individual',
        full_name: 'Ada Lovelace',
        email: `${randomUUID()}@example.com`,
        ...person,
      })
      return { kycLink: textProperty(link.body, 'kyc_link'), tosLink: textProperty(link.body, 'tos_link') }
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Posts JSON to the address of a page, as the page's own script does. */
export const postAsPage = async (address: string, body: unknown): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

export type Site = { origin: string; requests: string[]; [Symbol.asyncDispose]: () => Promise<void> }

/** A site of an integrator on an origin of its own; `render` makes the page for a request's path and query. */
export const startSite = async (render: (address: URL) => string): Promise<Site> => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (address.pathname === '/favicon.ico') return response.writeHead(204).end()
    requests.push(request.url ?? '')
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(render(address))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })

export type Watched = { context: BrowserContext; problems: string[]; [Symbol.asyncDispose]: () => Promise<void> }

/** A fresh browser profile. `problems` gathers console errors, uncaught exceptions and requests to other hosts. */
export const openProfile = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> => {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(10_000)
  const problems: string[] = []
  context.on('console', (message) => message.type() === 'error' && problems.push(`console: ${message.text()}`))
  context.on('weberror', (error) => problems.push(`uncaught: ${error.error().message}`))
  context.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url())
    if (protocol !== 'data:' && hostname !== '127.0.0.1') problems.push(`request to ${request.url()}`)
  })
  return { context, problems, [Symbol.asyncDispose]: () => context.close() }
}
