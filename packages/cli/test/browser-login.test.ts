// Sign-in with the browser: which requests the listener accepts and refuses. These tests do the work of the page with Web Crypto;
// tests of the console cover the page itself.

import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { until } from '../../server/test/caller.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import { beginCli, callCli } from './process.ts'

let world: World
let folder: string
let env: Record<string, string>
before(async () => {
  world = await openWorld({ alone: true })
})
after(() => world.stop())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-browser-login-'))
  env = { HOME: folder, CAUSEWAY_HOME: join(folder, 'none'), BROWSER: 'none' }
})
afterEach(() => rm(folder, { recursive: true }))

async function begin() {
  const cli = beginCli(['login', '--browser', '--base-url', world.url, '--json'], env)
  await cli.says('cli-login?')
  const { stderr } = cli.output()
  const page = new URL(/^http.*cli-login\?.*$/m.exec(stderr)?.[0] ?? '')
  const asked = Object.fromEntries(page.searchParams) as Record<'port' | 'state' | 'key' | 'device', string>
  return { cli, stderr, asked, page }
}

/** Seals a key as the page does. */
async function sealed(key: string, publicKey: string): Promise<string> {
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' }
  const sealing = await crypto.subtle.importKey('spki', Buffer.from(publicKey, 'base64url'), algorithm, false, [
    'encrypt',
  ])
  return Buffer.from(await crypto.subtle.encrypt(algorithm, sealing, Buffer.from(key))).toString('base64url')
}

/** A request of a browser to the listener. @returns status and where it is sent on */
async function visit(port: string, path: string, { host = `127.0.0.1:${port}`, method = 'GET' } = {}) {
  return await new Promise<{ status: number | undefined; location: string | undefined }>((done, failed) => {
    request({ host: '127.0.0.1', port, path, method, headers: { host } }, (response) => {
      response.resume()
      done({ status: response.statusCode, location: response.headers.location })
    })
      .on('error', failed)
      .end()
  })
}

test('a key that the page sends is kept as a profile, and the browser goes back to the console', async () => {
  const { cli, stderr, asked, page } = await begin()
  assert.equal(page.origin + page.pathname, `${world.url}/console/cli-login`)
  const { state, port, key } = asked
  assert.ok(stderr.includes(`${state.slice(4, 8)}-${state.slice(8, 12)}`.toUpperCase()))
  const { apiKey, id: customerId } = world.business
  const { url: baseUrl } = world
  const answer = await visit(port, `/?state=${state}&sealed=${await sealed(apiKey, key)}`)
  assert.deepEqual(answer, { status: 303, location: `${baseUrl}/console/cli-login?outcome=confirmed` })
  const { code, stdout, stderr: said } = await cli.ended
  assert.equal(code, 0, said)
  assert.equal(JSON.parse(stdout).customerId, customerId)
  assert.ok(!(stdout + said).includes(apiKey))
  const kept = JSON.parse(await readFile(join(folder, '.config/causeway/profiles.json'), 'utf8'))
  assert.deepEqual(kept.profiles.default, { baseUrl, apiKey })
  await assert.rejects(visit(port, `/?state=${state}`), 'the listener has gone')
})

test('who does not know the state, comes under another name or brings something else is not heard, and the wait goes on', async () => {
  const { cli, asked } = await begin()
  const { state, port, key } = asked
  const right = `/?state=${state}&sealed=${await sealed(world.business.apiKey, key)}`
  for (const [status, path, how] of [
    [400, `/?state=${state.slice(1)}0&sealed=${await sealed('svc_test_planted', key)}`, {}],
    [400, `/?state=${state}&sealed=${Buffer.from('svc_test_open').toString('base64url')}`, {}],
    [400, '/?error=refused', {}],
    [404, '/favicon.ico', {}],
    [405, right, { method: 'POST' }],
    [421, right, { host: `rebound.example.com:${port}` }],
    [421, right, { host: `localhost:${port}` }],
  ] as const)
    assert.deepEqual(await visit(port, path, how), { status, location: undefined }, path)
  assert.equal((await visit(port, right)).status, 303)
  assert.equal((await cli.ended).code, 0)
})

test('a refusal in the browser ends the command with 3, Ctrl-C with 130, and nothing is kept', async () => {
  const refused = await begin()
  const { state, port } = refused.asked
  const answer = await visit(port, `/?state=${state}&error=refused`)
  assert.equal(answer.location, `${world.url}/console/cli-login?outcome=refused`)
  const { code, stderr } = await refused.cli.ended
  assert.deepEqual([code, /No API key was issued/.test(stderr)], [3, true])
  const stopped = await begin()
  stopped.cli.interrupt()
  assert.equal((await stopped.cli.ended).code, 130)
  assert.deepEqual(JSON.parse((await callCli(['profiles', 'list', '--json'], env)).stdout), [])
})

test('a key that the server refuses is not kept', async () => {
  const { cli, asked } = await begin()
  await visit(asked.port, `/?state=${asked.state}&sealed=${await sealed('svc_test_wrong', asked.key)}`)
  assert.equal((await cli.ended).code, 3)
  assert.deepEqual(JSON.parse((await callCli(['profiles', 'list', '--json'], env)).stdout), [])
})

test('the browser that BROWSER names opens the page, whose address no shell reads', async () => {
  const [program, opened] = [join(folder, 'browser'), join(folder, 'opened')]
  await writeFile(program, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`)
  await chmod(program, 0o700)
  env = { ...env, BROWSER: program, PATH: process.env['PATH'] ?? '' }
  const { cli, page } = await begin()
  await until('the browser', async () => (await readFile(opened, 'utf8').catch(() => '')) === String(page))
  cli.interrupt()
  await cli.ended
})

test('a browser and a key on standard input cannot both be chosen: 2', async () => {
  const args = ['login', '--browser', '--base-url', world.url, '--api-key', '-']
  assert.equal((await callCli(args, env, { input: world.business.apiKey })).code, 2)
})
