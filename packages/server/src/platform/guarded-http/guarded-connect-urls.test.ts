// Random hostile webhook URLs against the real sender: it connects only to public addresses, and only as they were
// checked. Senders with a planted flaw show that the property finds one.

import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { isIP, isIPv4, connect as openSocket } from 'node:net'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { isNightly } from '../../../../../scripts/test-needs.ts'
import { type Attempt, drawAttempt, type Expected } from '../../../test/hostile-urls/attempts.ts'
import { chanceOf } from '../../../test/hostile-urls/chance.ts'
import { type NameServer, startNameServer } from '../../../test/hostile-urls/name-server.ts'
import { drawPublic, drawSpecial, isLoopback, isSpecial } from '../../../test/hostile-urls/special-addresses.ts'
import { standAtTheDoor } from '../../../test/hostile-urls/turnstile.ts'
import { parseWebhookUrl } from '../values/business-url.ts'
import { readAddress } from '../values/network-address.ts'
import { createSender, type Sender, type SenderOptions } from './sender.ts'

type Asks = Pick<SenderOptions, 'allowLoopback' | 'timeoutMs'> & Required<Pick<SenderOptions, 'lookup'>>
/** The sender under test, as far as an attempt needs it. */
type Tried = Pick<Sender, 'close'> & { send(url: string): Promise<string> }

const runs = isNightly ? 20_000 : 1_000
const seed = isNightly ? Date.now() % 0x7fff_ffff : 7
// For the resolver's first try. A lookup on loopback takes under 1 ms, but on a machine that also runs browsers this
// process has paused for more than 500 ms, and the lookup failed.
const dnsTimeoutMs = 2_000
const payload = Buffer.from('{"event_type":"test.happened"}')

let nameServer: NameServer
before(async () => {
  nameServer = await startNameServer()
})
after(() => nameServer[Symbol.asyncDispose]())

/** @throws Error with the first attempt that is not rejected as it must be */
async function tryAll(makeSender: (asks: Asks) => Tried): Promise<{ refused: number; dialled: number }> {
  const seen = { refused: 0, dialled: 0 }
  const lookup = nameServer.lookup(dnsTimeoutMs)
  const [live, sandbox] = [false, true].map((allowLoopback) => makeSender({ allowLoopback, lookup, timeoutMs: 10_000 }))
  using door = standAtTheDoor()
  const once = async (url: string, { mode }: Attempt, expected: Expected): Promise<void> => {
    // Bypasses the URL check on purpose: a stored URL of another version, or a gap in the check, has the same effect.
    const outcome = await (mode === 'live' ? live : sandbox)?.send(url).catch(() => null)
    const dialled = door.dialled()
    const what = `${mode} ${JSON.stringify(url)}: ${outcome}, dialled ${dialled.join(' ') || 'nothing'}`
    assert.ok(
      dialled.every((host) => isIP(host) && !isSpecial(host)),
      what,
    )
    assert.ok(
      [null, 'refused_address', expected === 'refused' ? null : 'connect_error'].includes(outcome ?? null),
      what,
    )
    seen.refused += outcome === 'refused_address' ? 1 : 0
    seen.dialled += dialled.length
  }
  try {
    const property = fc.asyncProperty(fc.gen(), async (generate) => {
      const attempt = drawAttempt(generate, 9)
      const name = attempt.script && nameServer.publish(attempt.script)
      const url = attempt.text.replace('{name}', name ?? '')
      if (!name && attempt.expected[0] === 'refused') {
        const isFit = parseWebhookUrl(url, { allowLoopbackHttp: attempt.mode === 'sandbox' }).ok
        assert.ok(!isFit, `taken for a fit webhook URL: ${url}`)
      }
      for (const expected of attempt.expected) await once(url, attempt, expected)
      if (name) nameServer.forget(name)
    })
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: true }) // an attempt is small already
  } finally {
    await Promise.all([live?.close(), sandbox?.close()])
  }
  return seen
}

test('no hostile address is dialled, and nothing that is forbidden ends otherwise than by a refusal', {
  timeout: 1_200_000,
}, async () => {
  const seen = await tryAll((asks) => {
    const { send, close } = createSender({ ...asks, poolsMax: 64 })
    return { send: async (url) => (await send({ businessId: 'cus_1', url, headers: {}, body: payload })).kind, close }
  })
  assert.ok(seen.dialled > runs / 20, 'a guard that refuses everything proves nothing')
  assert.ok(seen.refused > runs / 2, `only ${seen.refused} attempts came as far as the guard`)
})

/** @returns the addresses that it checks, and then connects to */
type Guard = (
  host: string,
  ask: () => Promise<readonly string[]>,
) => Promise<[judged: readonly string[], dialled: readonly string[]]>

const flawed: Readonly<Record<string, Guard>> = {
  'asks again before it dials': async (_host, ask) => [await ask(), await ask()],
  'connects by name': async (host, ask) => [await ask(), [host]],
  'judges the first address alone': async (_host, ask) => {
    const all = await ask()
    return [all.slice(0, 1), all]
  },
  'judges names alone': async (host, ask) => (isIP(host) ? [[], [host]] : [await ask(), []]),
  'knows IPv4 alone': async (_host, ask) => {
    const all = await ask()
    return [all.filter(isIPv4), all]
  },
}

function senderWith(guard: Guard, { lookup, allowLoopback }: Asks): Tried {
  const isForbidden = (address: string): boolean => isSpecial(address) && !(allowLoopback && isLoopback(address))
  const send = async (text: string): Promise<string> => {
    const { protocol, hostname } = new URL(text)
    const host = hostname.replace(/^\[|\]$/g, '')
    const ask = async () => (isIP(host) ? [host] : await lookup(host).catch(() => []))
    const [judged, dialled] = await guard(host, ask)
    if (protocol !== 'https:' || judged.some(isForbidden)) return 'refused_address'
    for (const address of dialled) {
      const socket = openSocket({ host: address, port: 9 })
      await new Promise((closed) => socket.on('error', closed))
    }
    return 'connect_error'
  }
  return { send, close: async () => {} }
}

test('a guard of this form without a flaw passes', async () => {
  const sound: Guard = async (_host, ask) => {
    const all = await ask()
    return [all, all]
  }
  await tryAll((asks) => senderWith(sound, asks))
})

for (const [flaw, guard] of Object.entries(flawed)) {
  test(`a guard that ${flaw} is found`, async () => {
    const isAboutADial = ({ cause }: Error): boolean => /, dialled (?!nothing)/.test(String(cause))
    await assert.rejects(
      tryAll((asks) => senderWith(guard, asks)),
      isAboutADial,
    )
  })
}

test('the registries as this test holds them and the guard agree on every range', () => {
  const property = fc.property(fc.gen(), fc.constantFrom(4, 6), (generate, family) => {
    const special = drawSpecial(chanceOf(generate), 'live')
    assert.ok(isSpecial(special), special)
    assert.equal(readAddress(special)?.scope, isLoopback(special) ? 'loopback' : 'special', special)
    const address = drawPublic(chanceOf(generate), family)
    assert.equal(isSpecial(address), false, address)
    assert.equal(readAddress(address)?.scope, 'public', address)
  })
  fc.assert(property, { numRuns: 5_000, seed })
})

test('a lookup gets one reply however often its question is repeated, and the next lookup gets the next', async () => {
  const name = nameServer.publish([{ a: ['192.0.2.1'] }, { a: ['192.0.2.2'] }])
  const lookup = nameServer.lookup(1_000)
  const repeat = new Resolver({ timeout: 1_000 })
  repeat.setServers([nameServer.address])
  const heard = [await lookup(name), await repeat.resolve4(name), await lookup(name.toUpperCase())]
  assert.deepEqual(heard, [['192.0.2.1'], ['192.0.2.1'], ['192.0.2.2']])
})
