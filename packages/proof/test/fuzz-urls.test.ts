// The proof proved: it finds nothing in the real sender, and it finds a sender that guards in the wrong place.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readAddress } from '../../server/src/platform/values/network-address.ts'
import type { SendOutcome } from '../../server/src/webhooks/delivery/sender/exchange.ts'
import type { Sender, SenderOptions } from '../../server/src/webhooks/delivery/sender/sender.ts'
import { drawAttempt } from '../src/fuzz-urls/attempts.ts'
import { runCampaign } from '../src/fuzz-urls/campaign.ts'
import { openCanary } from '../src/fuzz-urls/canary.ts'
import { startNameServer } from '../src/fuzz-urls/name-server.ts'
import { drawPublic, drawSpecial, isLoopback, isSpecial } from '../src/fuzz-urls/special-addresses.ts'
import { faultsOf } from '../src/fuzz-urls/verdict.ts'
import { chanceOf } from '../src/rig/chance.ts'

const entry = fileURLToPath(new URL('../src/fuzz-urls/main.ts', import.meta.url))

test('the command makes no connection, ends with one line of JSON, and repeats nothing but its seed', async () => {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>()
  execFile(process.execPath, [entry, '--count', '1500', '--seed', '7'], (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stdout, stderr }),
  )
  const { code, stdout, stderr } = await promise
  assert.deepEqual([code, stderr], [0, ''])
  const [first, last, ...more] = stdout.trim().split('\n')
  assert.match(first ?? '', /--seed 7$/)
  assert.deepEqual(more, [])
  const figures = JSON.parse(last ?? '')
  assert.ok(figures.attempts >= 1500)
  assert.equal(figures.connections, 0)
  assert.ok(figures.canary.reachedByException > 0)
})

/** Asks the name, finds it harmless, and then connects by name: which asks again. */
function lookupGuardedSender({ lookup, allowLoopback }: SenderOptions): Sender {
  const send = async (url: URL): Promise<SendOutcome> => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) || !lookup ? [host] : await lookup(host).catch(() => [])
    const isForbidden = (address: string): boolean => isSpecial(address) && !(allowLoopback && isLoopback(address))
    if (addresses.some(isForbidden)) return { kind: 'refused_address', detail: '', durationMs: 0 }
    const { promise, resolve } = Promise.withResolvers<SendOutcome>()
    const failed = (): void => resolve({ kind: 'connect_error', detail: '', durationMs: 0 })
    const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { agent: false, timeout: 2_000 })
    sent.on('error', failed).on('timeout', () => sent.destroy())
    sent.on('response', (response) => {
      response.resume()
      const said = {
        responseBody: '',
        responseHeaders: null,
        retryAfterMs: null,
        isGone: false,
        stopsRetries: false,
        durationMs: 0,
      }
      resolve({ kind: 'response', status: response.statusCode ?? 0, ...said })
    })
    sent.end()
    return await promise
  }
  return { send: async ({ url }) => await send(new URL(url)), abort: () => {}, close: async () => {} }
}

test('a guard before the connection instead of in it is found out, by names that flip', async () => {
  const report = await runCampaign({ count: 1_000, seed: 7, makeSender: lookupGuardedSender })
  assert.ok(report.connections > 0)
  assert.ok(report.forbiddenDials >= report.connections)
  assert.ok(faultsOf(report).length > 0)
  assert.ok(report.examples.some((example) => /n\d+\.hook\.example.*--seed 7 --start \d+/.test(example)))
})

test('a canary that does not live is noticed', async () => {
  const canary = await openCanary()
  assert.equal(await canary.accepted(), 0)
  await canary[Symbol.asyncDispose]()
  await assert.rejects(canary.accepted())
})

test('a run that let nothing through, or hardly reached the guard, does not pass for a proof', () => {
  const good = {
    attempts: 1_000,
    connections: 0,
    forbiddenDials: 0,
    notRefused: 0,
    wronglyFit: 0,
    refused: 700,
    publicDials: 100,
    lures: 84,
    questions: 1_000,
    canary: { listeners: 30, reachedByException: 12 },
    seed: 1,
    durationMs: 1,
  }
  assert.deepEqual(faultsOf(good), [])
  const bad = { connections: 1, forbiddenDials: 1, notRefused: 1, wronglyFit: 1, publicDials: 0, refused: 0 }
  for (const [name, value] of Object.entries(bad)) assert.equal(faultsOf({ ...good, [name]: value }).length, 1, name)
})

test('the registries as the proof holds them and the guard agree on every range', () => {
  for (let index = 0; index < 5_000; index++) {
    const chance = chanceOf(1, index)
    const special = drawSpecial(chance, 'live')
    assert.ok(isSpecial(special), special)
    assert.equal(readAddress(special)?.scope, isLoopback(special) ? 'loopback' : 'special', special)
    const address = drawPublic(chance, index % 2 === 0 ? 4 : 6)
    assert.equal(isSpecial(address), false, address)
    assert.equal(readAddress(address)?.scope, 'public', address)
  }
})

test('an attempt is drawn the same again by its seed and index', () => {
  for (let index = 0; index < 200; index++)
    assert.deepEqual(drawAttempt(3, index, [1, 2, 3]), drawAttempt(3, index, [1, 2, 3]))
  assert.notDeepEqual(drawAttempt(3, 0, [1, 2, 3]), drawAttempt(4, 0, [1, 2, 3]))
})

test('a lookup gets one reply however often its question is repeated, and the next lookup gets the next', async () => {
  await using nameServer = await startNameServer()
  const name = nameServer.publish([{ a: ['192.0.2.1'] }, { a: ['192.0.2.2'] }])
  const lookup = nameServer.lookup(1_000)
  const repeat = new Resolver({ timeout: 1_000 })
  repeat.setServers([nameServer.address])
  const heard = [await lookup(name), await repeat.resolve4(name), await lookup(name.toUpperCase())]
  assert.deepEqual(heard, [['192.0.2.1'], ['192.0.2.1'], ['192.0.2.2']])
})
