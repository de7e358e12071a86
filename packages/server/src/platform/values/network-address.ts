// Says of an IP address whether it is on the public internet, on this machine, or neither. Pure: no name is resolved.

import ipaddr from 'ipaddr.js'

/** `special` is all that is neither: private, link-local, carrier NAT, translation prefixes, documentation, … */
export type AddressScope = 'public' | 'loopback' | 'special'

/** `text` is the canonical form, with an IPv4-mapped IPv6 address unwrapped: dial that, not what was read. */
export type NetworkAddress = { text: string; scope: AddressScope; family: 4 | 6 }

const globalUnicastIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

// Azure's host agent hands out instance credentials on a public address. The other clouds' fall in special ranges.
const metadataAddresses: ReadonlySet<string> = new Set(['168.63.129.16'])

/** The address written in `text`, or null if it is not exactly one address: zone ids and shorthands are refused. */
export function readAddress(text: string): NetworkAddress | null {
  const address = parseIpv4(text) ?? parseIpv6(text)
  if (address === null) return null
  return { text: address.toString(), scope: scopeOf(address), family: address.kind() === 'ipv4' ? 4 : 6 }
}

function parseIpv4(text: string): ipaddr.IPv4 | null {
  // Four plain decimals only: `0x7f.1`, `017700000001` and `127.1` mean different hosts to different readers.
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : null
}

function parseIpv6(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(':')) return null
  // Through the URL parser first: ipaddr.js takes the compatible `::8.8.8.8` for the mapped `::ffff:8.8.8.8`.
  const url = URL.parse(`http://[${text}]/`)
  if (url === null) return null
  const address = ipaddr.IPv6.parse(url.hostname.slice(1, -1))
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

function scopeOf(address: ipaddr.IPv4 | ipaddr.IPv6): AddressScope {
  const range = address.range()
  if (range === 'loopback') return 'loopback'
  if (range !== 'unicast' || metadataAddresses.has(address.toString())) return 'special'
  // Outside 2000::/3 nothing is assigned to hosts; this also covers `::/96`, which the range table leaves out.
  if (address.kind() === 'ipv6' && !address.match(globalUnicastIpv6)) return 'special'
  return 'public'
}
