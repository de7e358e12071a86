// Which addresses are public: both ends of the registries' special ranges, and the addresses just outside them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/any-text.ts'
import { readAddress } from './network-address.ts'

const scope = (text: string) => readAddress(text)?.scope

// First and last address of each range that the IANA special-purpose registries, or the clouds, set apart.
const specialIpv4 = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private', '10.0.0.0', '10.255.255.255'],
  ['carrier NAT', '100.64.0.0', '100.127.255.255'],
  ['link local', '169.254.0.0', '169.254.255.255'],
  ['metadata', '169.254.169.254', '169.254.170.2'],
  ['private', '172.16.0.0', '172.31.255.255'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255'],
  ['documentation 1', '192.0.2.0', '192.0.2.255'],
  ['AS112', '192.31.196.0', '192.31.196.255'],
  ['AMT', '192.52.193.0', '192.52.193.255'],
  ['6to4 relay', '192.88.99.0', '192.88.99.255'],
  ['private', '192.168.0.0', '192.168.255.255'],
  ['AS112', '192.175.48.0', '192.175.48.255'],
  ['benchmarking', '198.18.0.0', '198.19.255.255'],
  ['documentation 2', '198.51.100.0', '198.51.100.255'],
  ['documentation 3', '203.0.113.0', '203.0.113.255'],
  ['multicast', '224.0.0.0', '239.255.255.255'],
  ['reserved', '240.0.0.0', '255.255.255.254'],
  ['broadcast', '255.255.255.255', '255.255.255.255'],
  ['Azure host agent', '168.63.129.16', '168.63.129.16'],
] as const

const specialIpv6 = [
  ['unspecified', '::', '::'],
  ['compatible', '::2', '::ffff:ffff'],
  ['compatible, dotted', '::127.0.0.1', '::8.8.8.8'],
  ['translated', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['NAT64 of loopback', '64:ff9b::127.0.0.1', '64:ff9b::10.0.0.1'],
  ['local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard', '100::', '100::ffff:ffff:ffff:ffff'],
  ['dummy prefix', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['ORCHID', '2001:10::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['protocol assignments', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:100::'],
  ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4 of loopback', '2002:7f00:1::', '2002:a00:1::'],
  ['AS112', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['unassigned', '4000::', '5fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['metadata', 'fd00:ec2::254', 'fd20:ce::254'],
  ['link local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const

test('both ends of every special range are special', () => {
  for (const [name, first, last] of [...specialIpv4, ...specialIpv6]) {
    assert.equal(scope(first), 'special', `${name} ${first}`)
    assert.equal(scope(last), 'special', `${name} ${last}`)
  }
})

test('an IPv4 address keeps its scope when it is written as an IPv4-mapped IPv6 address', () => {
  const octet = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
      const plain = octets.join('.')
      const [a, b, c, d] = octets
      const hex = `::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      assert.deepEqual(readAddress(`::ffff:${plain}`), readAddress(plain))
      assert.deepEqual(readAddress(hex), readAddress(plain))
    }),
  )
})

test('loopback is told apart from both', () => {
  for (const text of ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1']) {
    assert.equal(scope(text), 'loopback', text)
  }
})

test('addresses just outside the special ranges are public', () => {
  const ipv4 = ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0']
  const more = ['169.253.255.255', '172.15.255.255', '172.32.0.0', '192.167.255.255', '198.17.255.255', '198.20.0.0']
  const ipv6 = ['2000::1', '2001:200::1', '2606:4700::1111', '2a00:1450::1', '3ffe:ffff::1', '::ffff:8.8.8.8']
  for (const text of [...ipv4, ...more, '223.255.255.255', ...ipv6]) assert.equal(scope(text), 'public', text)
})

test('the text handed back is the canonical form of the address that was judged', () => {
  assert.equal(readAddress('2606:4700:0:0:0:0:0:1111')?.text, '2606:4700::1111')
  assert.equal(readAddress('::FFFF:8.8.8.8')?.text, '8.8.8.8')
})

test('what is not exactly one address is no address', () => {
  const shorthands = [
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.01',
    '256.0.0.1',
  ]
  const others = [
    '',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8.8.',
    '8.8.8.8/24',
    '8.8.8.8:80',
    '[::1]',
    '::1%lo',
    'fe80::1%25eth0',
  ]
  const broken = ['1::2::3', '12345::', ':', '::ffff:1.2.3', '::1]@[2606::1', 'localhost', 'example.com', '１.1.1.1']
  for (const text of [...shorthands, ...others, ...broken]) assert.equal(readAddress(text), null, text)
})

test('no text makes reading throw', () => {
  const nearly = fc.string({ unit: fc.constantFrom(...'0123456789abcdefx:.%[]/'), maxLength: 50 })
  fc.assert(fc.property(fc.oneof(nearly, fc.string({ unit: anyCharacter })), (text) => void readAddress(text)))
})
