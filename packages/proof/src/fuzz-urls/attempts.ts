// One hostile address, drawn from its own chance: the text of a URL, what its name answers, and what must come of it.

import { isIP } from 'node:net'
import { type Chance, chanceOf } from '../rig/chance.ts'
import type { Reply, Script } from './name-server.ts'
import { drawPublic, drawSpecial, isLoopback, isSpecial } from './special-addresses.ts'
import { spell } from './spellings.ts'

export type Mode = 'live' | 'sandbox'

/** `turned_back`: judged public, and dialled. `null`: nothing is known but that no connection may come of it. */
export type Expected = 'refused' | 'turned_back' | 'lookup_failed' | null

export type Attempt = {
  mode: Mode
  /** With `{name}` where the name stands that `script` is published under. */
  text: string
  script: Script | null
  /** One for each time that it is sent, in this order. */
  expected: readonly Expected[]
}

export function drawAttempt(seed: number, index: number, ports: readonly number[]): Attempt {
  const chance = chanceOf(seed, index)
  const mode = chance.oneIn(5) ? 'sandbox' : 'live'
  const kind = chance.below(100)
  if (kind < 45) return literal(chance, mode, ports)
  if (kind < 80) return named(chance, mode, ports)
  if (kind < 84) return localhost(chance, ports)
  return mangled(chance, ports)
}

const schemes = ['https', 'https', 'https', 'http', 'HTTPS', 'hTTp'] as const
const rests = ['/', '/hook', '/a?b=c', '', '/%2e%2e/x', '?x'] as const

function around(chance: Chance, host: string, ports: readonly number[], scheme = chance.pick(schemes)): string {
  const port = chance.oneIn(12) ? '' : `:${chance.pick(ports)}`
  return `${scheme}://${host}${port}${chance.pick(rests)}`
}

function literal(chance: Chance, mode: Mode, ports: readonly number[]): Attempt {
  const text = around(chance, spell(chance, drawSpecial(chance, mode)), ports)
  const hostname = URL.parse(text)?.hostname ?? ''
  const address = hostname.replace(/^\[|\]$/g, '')
  // 0.0.0.1 written as ::0.0.0.1 is loopback, which the sandbox may reach.
  if (mode === 'sandbox' && isIP(address) && isLoopback(address)) return literal(chance, mode, ports)
  return { mode, text, script: null, expected: [expectedOfHost(address)] }
}

/** A host after the URL was parsed. Some spellings are unknown names then, not addresses. */
function expectedOfHost(address: string): Expected {
  if (isIP(address)) return isSpecial(address) ? 'refused' : null
  return address === '' ? null : 'lookup_failed'
}

function named(chance: Chance, mode: Mode, ports: readonly number[]): Attempt {
  const scheme = chance.pick(schemes)
  const outcomeOfPublic: Expected = scheme.toLowerCase() === 'https' ? 'turned_back' : 'refused'
  const hostile = (): Reply => hostileReply(chance, mode)
  const harmless = (): Reply => harmlessReply(chance)
  const [script, expected] = chance.pick<() => [Script, Expected[]]>([
    () => [[hostile()], ['refused']],
    () => [[hostile()], ['refused']],
    () => [
      [harmless(), hostile()],
      [outcomeOfPublic, 'refused'],
    ],
    () => [
      [harmless(), hostile()],
      [outcomeOfPublic, 'refused'],
    ],
    () => [
      [hostile(), harmless(), hostile()],
      ['refused', outcomeOfPublic, 'refused'],
    ],
    () => [[harmless()], [outcomeOfPublic]],
    () => [
      [brokenReply(chance), hostile()],
      [null, 'refused'],
    ], // a resolver may ask again at once
  ])()
  return { mode, text: around(chance, '{name}', ports, scheme), script, expected }
}

const familyOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4)

/** At least one address that is forbidden, among any number that are not, in any place. */
function hostileReply(chance: Chance, mode: Mode): Reply {
  const forbidden = drawSpecial(chance, mode)
  const company = Array.from({ length: chance.pick([0, 0, 1, 1, 3, 20]) }, () =>
    drawPublic(chance, chance.pick([4, 6])),
  )
  if (mode === 'sandbox' && chance.oneIn(2)) company.push('127.0.0.1')
  const all = company.toSpliced(chance.below(company.length + 1), 0, forbidden)
  return replyOf(chance, all)
}

function harmlessReply(chance: Chance): Reply {
  return replyOf(chance, [drawPublic(chance, 4), ...(chance.oneIn(2) ? [drawPublic(chance, 6)] : [])])
}

function replyOf(chance: Chance, addresses: readonly string[]): Reply {
  return {
    a: addresses.filter((address) => familyOf(address) === 4),
    aaaa: addresses.filter((address) => familyOf(address) === 6),
    alias: chance.oneIn(4),
  }
}

/** A silent name server costs a time-out of the resolver, so there are few. */
function brokenReply(chance: Chance): Reply {
  return chance.oneIn(200)
    ? 'silent'
    : chance.pick<Reply>(['nxdomain', 'servfail', 'truncated', 'garbage', 'foreign', {}])
}

const localhostSpellings = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'api.localhost',
  'a.b.localhost.',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌocalhost',
]

function localhost(chance: Chance, ports: readonly number[]): Attempt {
  const text = around(chance, chance.pick(localhostSpellings), ports)
  return { mode: 'live', text, script: null, expected: ['refused'] }
}

const insertions = [
  ...[
    '@',
    '\\',
    '\\@',
    '#@',
    '?@',
    '/',
    '//',
    ':',
    ':80@',
    '\t',
    '\n',
    '\r\n',
    ' ',
    '#',
    ';',
    ',',
    '[',
    ']',
    '.',
    '..',
  ],
  ...['%00', '%2e', '%2f', '%40', '%5b', '。', '\u200b', '\u00ad', '\u202e', 'user:pass@', '1.1.1.1@', '1.1.1.1\\@'],
  ...['1.1.1.1#', '1.1.1.1?', 'https://', 'http:', '\u0000', 'é', '😀', '0x', '0', '%25lo', '::ffff:', '-', '_'],
]

/** A URL with an address of this machine in it, changed in one to four places. Only its parser knows its meaning then. */
function mangled(chance: Chance, ports: readonly number[]): Attempt {
  let text = around(chance, spell(chance, drawSpecial(chance, 'live')), ports)
  for (let bends = 1 + chance.below(4); bends > 0; bends--) {
    const at = chance.below(text.length + 1)
    const kept = text.slice(at + chance.pick([0, 0, 0, 1, 2, 5]))
    text = text.slice(0, at) + (chance.oneIn(5) ? '' : chance.pick(insertions)) + kept
  }
  return { mode: 'live', text, script: null, expected: [null] }
}
