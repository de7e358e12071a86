// One hostile URL: its text, the DNS responses for its name, and the expected result.

import { isIP } from 'node:net'
import type { GeneratorValue } from 'fast-check'
import { type Chance, chanceOf } from './chance.ts'
import type { Reply, Script } from './name-server.ts'
import { drawPublic, drawSpecial, isLoopback, isSpecial } from './special-addresses.ts'
import { spell } from './spellings.ts'

export type Mode = 'live' | 'sandbox'

/** `null`: nothing is known, except that no address may be dialled that is not public. */
export type Expected = 'refused' | null

export type Attempt = {
  mode: Mode
  /** `{name}` is replaced by the name that `script` is published under. */
  text: string
  script: Script | null
  /** One for each time that it is sent, in this order. */
  expected: readonly Expected[]
}

export function drawAttempt(generate: GeneratorValue, port: number): Attempt {
  const chance = chanceOf(generate)
  const mode = chance.oneIn(5) ? 'sandbox' : 'live'
  const kind = chance.below(100)
  if (kind < 45) return literal(chance, mode, port)
  if (kind < 80) return named(chance, mode, port)
  if (kind < 84) return localhost(chance, port)
  return mangled(chance, port)
}

const schemes = ['https', 'https', 'https', 'http', 'HTTPS', 'hTTp'] as const
const rests = ['/', '/hook', '/a?b=c', '', '/%2e%2e/x', '?x'] as const

function around(chance: Chance, host: string, port: number, scheme = chance.pick(schemes)): string {
  return `${scheme}://${host}${chance.oneIn(12) ? '' : `:${port}`}${chance.pick(rests)}`
}

function literal(chance: Chance, mode: Mode, port: number): Attempt {
  const text = around(chance, spell(chance, drawSpecial(chance, mode)), port)
  const hostname = URL.parse(text)?.hostname ?? ''
  const address = hostname.replace(/^\[|\]$/g, '')
  // 0.0.0.1 written as ::0.0.0.1 is loopback, which the sandbox may reach.
  if (mode === 'sandbox' && isIP(address) && isLoopback(address)) return literal(chance, mode, port)
  return { mode, text, script: null, expected: [isIP(address) && isSpecial(address) ? 'refused' : null] }
}

function named(chance: Chance, mode: Mode, port: number): Attempt {
  const scheme = chance.pick(schemes)
  const outcomeOfPublic: Expected = scheme.toLowerCase() === 'https' ? null : 'refused'
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
  return { mode, text: around(chance, '{name}', port, scheme), script, expected }
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

const brokenReply = (chance: Chance): Reply =>
  chance.pick<Reply>(['nxdomain', 'servfail', 'truncated', 'garbage', 'foreign', {}])

const localhostSpellings = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'api.localhost',
  'a.b.localhost.',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌocalhost',
]

function localhost(chance: Chance, port: number): Attempt {
  const text = around(chance, chance.pick(localhostSpellings), port)
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
function mangled(chance: Chance, port: number): Attempt {
  let text = around(chance, spell(chance, drawSpecial(chance, 'live')), port)
  for (let bends = 1 + chance.below(4); bends > 0; bends--) {
    const at = chance.below(text.length + 1)
    const kept = text.slice(at + chance.pick([0, 0, 0, 1, 2, 5]))
    text = text.slice(0, at) + (chance.oneIn(5) ? '' : chance.pick(insertions)) + kept
  }
  return { mode: 'live', text, script: null, expected: [null] }
}
