// The ways to write one address into a URL: every base and length that a reader of addresses takes, disguises that
// become digits when the URL is parsed, and the IPv6 forms that carry an IPv4 address inside.

import { isIPv4 } from 'node:net'
import type { Chance } from './chance.ts'
import { ipv4Bits, ipv4Text, ipv6Bits, ipv6Text } from './special-addresses.ts'

/** A URL's host that means `address` to someone. Some are no valid host: then the URL is refused before it is used. */
export function spell(chance: Chance, address: string): string {
  return isIPv4(address) ? spellIpv4(chance, ipv4Bits(address)) : `[${spellIpv6(chance, ipv6Bits(address))}]`
}

const bases = [
  (value: bigint) => value.toString(10),
  (value: bigint) => `0x${value.toString(16)}`,
  (value: bigint) => `0X${value.toString(16).toUpperCase().padStart(8, '0')}`,
  (value: bigint) => `0${value.toString(8)}`,
  (value: bigint) => `0000${value.toString(8)}`,
] as const

function spellIpv4(chance: Chance, bits: bigint): string {
  if (chance.oneIn(4)) return `[${carryIpv4(chance, bits)}]`
  const plain = chance.oneIn(3) ? ipv4Text(bits) : partsOf(chance, bits)
  return disguise(chance, plain)
}

/** One to four parts, the last of which takes all bits that are left: `127.1`, `0x7f.1`, `2130706433`. */
function partsOf(chance: Chance, bits: bigint): string {
  const count = 1 + chance.below(4)
  const parts: string[] = []
  for (let index = 0; index < count - 1; index++)
    parts.push(chance.pick(bases)((bits >> BigInt(24 - 8 * index)) & 0xffn))
  const rest = bits & ((1n << BigInt(32 - 8 * (count - 1))) - 1n)
  return [...parts, chance.pick(bases)(rest)].join('.')
}

const circled = '⓪①②③④⑤⑥⑦⑧⑨'
const disguises = [
  (text: string) => text,
  (text: string) => text,
  (text: string) => `${text}.`,
  (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))), // fullwidth
  (text: string) => text.replace(/\d/g, (digit) => [...circled][Number(digit)] ?? digit),
  (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit))), // mathematical
  (text: string) => text.replaceAll('.', '。'),
  (text: string) => text.replaceAll('.', '．'),
  (text: string) => text.replace(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`),
  (text: string) => text.replace('.', '.\u00ad'), // a soft hyphen, which the parser drops
  (text: string) => `${text}%00`,
] as const

function disguise(chance: Chance, text: string): string {
  return chance.pick(disguises)(text)
}

/** IPv6 addresses that a translator, a tunnel or a lenient reader turns into this IPv4 address. */
function carryIpv4(chance: Chance, bits: bigint): string {
  const hex = `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`
  const last = chance.oneIn(2) ? hex : ipv4Text(bits)
  return chance.pick([
    `::ffff:${last}`,
    `::FFFF:${last}`,
    `0:0:0:0:0:ffff:${last}`,
    `::${last}`,
    `::ffff:0:${last}`,
    `64:ff9b::${last}`,
    `64:ff9b:1::${last}`,
    `2002:${hex}::`,
    `2001:0:${hex}::1`, // Teredo: the server
    `2001:0:1:1:0:0:${(~bits & 0xffff_ffffn).toString(16).padStart(8, '0').replace(/^.{4}/, '$&:')}`, // Teredo: the client
  ])
}

function spellIpv6(chance: Chance, bits: bigint): string {
  const full = ipv6Text(bits)
  return chance.pick<() => string>([
    () => full,
    () => full.toUpperCase(),
    () => full.replace(/\b(0(:|$)){2,}/, '::').replace(':::', '::'),
    () => full.replace(/\b[0-9a-f]{1,3}\b/g, (group) => group.padStart(4, '0')),
    () => `${full.split(':').slice(0, 6).join(':')}:${ipv4Text(bits & 0xffff_ffffn)}`,
    () => `${full}%${chance.pick(['lo', '25lo', '1', 'eth0'])}`,
  ])()
}
