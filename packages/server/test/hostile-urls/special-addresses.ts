// Which addresses are not public, from the registries themselves: the IANA special-purpose registries, the multicast and
// reserved blocks, and where clouds keep their credentials. Shares nothing with the guard that is judged by it.

import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Chance } from './chance.ts'

type Range = readonly [network: string, prefix: number]

const specialIpv4 = [
  ['0.0.0.0', 8], // this network; Linux connects it to loopback
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier NAT; Alibaba's metadata 100.100.100.200
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // Azure's host agent
  ['169.254.0.0', 16], // link local; most clouds' metadata
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments; Oracle's metadata 192.0.0.192
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const satisfies readonly Range[]

const specialIpv6 = [
  ['::', 96], // unspecified, loopback, IPv4-compatible
  ['::ffff:0:0:0', 96], // translated
  ['64:ff9b::', 96], // NAT64
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['100:0:0:1::', 64],
  ['2001::', 23], // Teredo, benchmarking, ORCHID, drone ids
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10], // site local
  ['ff00::', 8],
] as const satisfies readonly Range[]

/** Addresses where clouds, and their copies, return credentials. */
const metadataAddresses = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.0.23',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
] as const

const special = new BlockList()
for (const [network, prefix] of specialIpv4) special.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of specialIpv6) special.addSubnet(network, prefix, 'ipv6')

/** Returns whether a literal address is special, including IPv4-mapped ones. */
export function isSpecial(address: string): boolean {
  return isIPv4(address) ? special.check(address, 'ipv4') : special.check(address, 'ipv6')
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

export function isLoopback(address: string): boolean {
  return loopback.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Addresses of this machine other than loopback that are not public and that a URL can name (no zone ID). */
export const ownAddresses: readonly string[] = Object.values(networkInterfaces())
  .flatMap((infos) => infos ?? [])
  .filter(({ internal, scopeid, address }) => !internal && !scopeid && isSpecial(address))
  .map(({ address }) => address)

/** Loopback, and its neighbors, where Linux responds too. */
export const loopbackAddresses = ['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1'] as const

/** One that must never be connected to. `mode` sandbox: one that even the exception for loopback does not cover. */
export function drawSpecial(chance: Chance, mode: 'live' | 'sandbox'): string {
  for (;;) {
    const drawn = chance.pick<() => string>([
      () => chance.pick(loopbackAddresses),
      () => chance.pick([...ownAddresses, '0.0.0.0', '::']),
      () => chance.pick(metadataAddresses),
      () => drawIpv4(chance, chance.pick<Range>(specialIpv4)),
      () => drawIpv6(chance, chance.pick<Range>(specialIpv6)),
    ])()
    if (mode === 'live' || !isLoopback(drawn)) return drawn
  }
}

/** Public by every registry. turnstile.ts turns back what dials them. */
const publicIpv4 = ['1.1.1.1', '8.8.8.8', '9.255.255.255', '100.63.255.255', '172.32.0.1', '223.255.255.1'] as const
const publicIpv6 = ['2606:4700::1111', '2a00:1450::1', '2001:200::1'] as const

export const drawPublic = (chance: Chance, family: 4 | 6): string => chance.pick(family === 4 ? publicIpv4 : publicIpv6)

/** An end of the range as often as something inside. */
function drawIpv4(chance: Chance, [network, prefix]: Range): string {
  return ipv4Text(fillHostBits(chance, ipv4Bits(network), prefix, 32))
}

function drawIpv6(chance: Chance, [network, prefix]: Range): string {
  return ipv6Text(fillHostBits(chance, ipv6Bits(network), prefix, 128))
}

function fillHostBits(chance: Chance, network: bigint, prefix: number, width: number): bigint {
  const hostBits = BigInt(width - prefix)
  const mask = (1n << hostBits) - 1n
  const inside = Array.from({ length: 4 }, () => BigInt(chance.below(0x1_0000_0000)))
  const random = inside.reduce((sum, word) => (sum << 32n) | word, 0n) & mask
  return network | chance.pick([0n, mask, random, random, random & 0xffffn])
}

export const ipv4Bits = (text: string): bigint =>
  text.split('.').reduce((sum, octet) => (sum << 8n) | BigInt(Number(octet)), 0n)

export const ipv4Text = (bits: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.')

/** Reads a full or compressed address without a dotted part. */
export function ipv6Bits(text: string): bigint {
  if (!isIPv6(text) || text.includes('.')) throw new RangeError('not a plain IPv6 address')
  const [head = '', tail] = text.split('::')
  const words = (part: string): string[] => part.split(':').filter((word) => word !== '')
  const [front, back] = [words(head), words(tail ?? '')]
  const zeros: string[] = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...zeros, ...back].reduce((sum, word) => (sum << 16n) | BigInt(`0x${word}`), 0n)
}

/** Eight groups, none left out. */
export const ipv6Text = (bits: bigint): string =>
  Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).join(':')
