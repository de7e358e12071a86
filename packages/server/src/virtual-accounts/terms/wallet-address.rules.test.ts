// Tests address checks with each family's published vectors, and that typing mistakes fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base32nopad, base58, createBase58check } from '@scure/base'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/any-text.ts'
import { offer } from '../../../test/offer.ts'
import { coinAddresses, systemAddresses } from '../../platform/values/keyless-addresses.ts'
import { extendRails } from '../../platform/values/rails.ts'
import { checkWalletAddress } from './wallet-address.rules.ts'

const hexDigits = '0123456789abcdefABCDEF'
const base58Digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

// The list in EIP-55 itself: all caps, all lower, normal.
const evmVectors = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]
const evmMixed = evmVectors.slice(4)

// The last but one is off the curve: the vault of a multisig.
const solanaVectors = [
  '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
  '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
  'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg', // 43 characters
  '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2',
  'FCvhetuRQXVjFaFtLY8kAYFYRHpCLMsBabJ8GLrBX8iT',
  '11111111111111111111111111111112', // the shortest there is: 31 zero bytes and a one
]

const tronVectors = [
  'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
  'TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR',
  'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL', // NileX sample of the developer documentation
  'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
]

// SEP-23, "Valid test cases" that are accounts.
const stellarVectors = [
  'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
  'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK',
]

// SEP-23, all "Invalid test cases", and the valid ones that are no accounts (contract, payload, pool, balance).
const stellarRefused = [
  'GAAAAAAAACGC6',
  'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR',
  'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZA',
  'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUACUSI',
  'G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I',
  'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLKA',
  'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAAV75I',
  'M47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
  'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUK===',
  'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUO',
  'PA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAQACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6IAAAAAAAAPM',
  'PA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAOQCAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4Z2PQ',
  'PA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAOQCAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DXFH6',
  'BAAD6DBUX6J22DMZOHIEZTEQ64CVCHEDRKWZONFEUL5Q26QD7R76RGR4TV',
  'BAAT6DBUX6J22DMZOHIEZTEQ64CVCHEDRKWZONFEUL5Q26QD7R76RGXACA',
  'BAAD6DBUX6J22DMZOHIEZTEQ64CVCHEDRKWZONFEUL5Q26QD7R76RGR4TU',
  'CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA',
  'LA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUPJN',
  'PA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAQACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6IBZGM',
  'PA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAOQCAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUAAAAFGBU',
]

const check = (rail: string, address: string, memo?: string, table = offer) =>
  checkWalletAddress(rail, address, memo, table)
const accepts = (rail: string, address: string, memo?: string) => check(rail, address, memo).ok

function* corruptions(address: string, alphabet: string, from: number): Generator<string> {
  for (let at = from; at < address.length; at++) {
    for (const other of alphabet) {
      if (other !== address[at]) yield address.slice(0, at) + other + address.slice(at + 1)
    }
  }
}

const evmRails = Object.keys(offer.chains).filter((rail) => offer.chains[rail]?.addressFamily === 'evm')

test('published addresses of every family are accepted as sent', () => {
  const vectors: [string, string[]][] = [
    ...evmRails.map((rail): [string, string[]] => [rail, evmVectors]),
    ['solana', solanaVectors],
    ['tron', tronVectors],
    ['stellar', stellarVectors],
    ['xdc', evmVectors],
    ['xdc', evmVectors.map((address) => address.replace('0x', 'xdc'))],
  ]
  for (const [rail, addresses] of vectors) {
    for (const address of addresses) assert.deepEqual(check(rail, address), { ok: true })
  }
})

test('every family refuses the addresses of the others', () => {
  const byRail = { ethereum: evmVectors, solana: solanaVectors, tron: tronVectors, stellar: stellarVectors }
  for (const rail of Object.keys(byRail)) {
    for (const [other, addresses] of Object.entries(byRail)) {
      if (other !== rail) for (const address of addresses) assert.ok(!accepts(rail, address), `${rail} ${address}`)
    }
  }
  assert.ok(!accepts('ethereum', 'xdc5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'))
})

test('an EVM address in one case needs no checksum, in mixed case it does', () => {
  for (const address of evmMixed) {
    assert.ok(accepts('ethereum', address.toLowerCase()))
    assert.ok(accepts('ethereum', `0x${address.slice(2).toUpperCase()}`))
  }
})

/**
 * All single-character changes of these addresses, from a position on; the count is checked, so that no loop is empty.
 */
function allCorruptions(addresses: readonly string[], alphabet: string, count: number, from = 0): string[] {
  const all = addresses.flatMap((address) => [...corruptions(address, alphabet, from)])
  assert.equal(all.length, count)
  return all
}

test('a letter of wrong case in a checksummed EVM address is always refused: each one, on every EVM rail and on XDC', () => {
  let flips = 0
  for (const address of evmMixed) {
    for (const wrong of corruptions(address, hexDigits, 2)) {
      if (wrong.toLowerCase() !== address.toLowerCase()) continue
      flips += 1
      for (const rail of evmRails) assert.ok(!accepts(rail, wrong), `${rail} ${wrong}`)
      assert.ok(!accepts('xdc', wrong) && !accepts('xdc', wrong.replace('0x', 'xdc')), wrong)
    }
  }
  const letters = evmMixed
    .join('')
    .replace(/0x/g, '')
    .replace(/[^a-f]/gi, '').length
  assert.deepEqual([flips, letters], [74, 74])
  assert.ok(evmRails.length >= 8)
})

/**
 * EIP-55 implemented again, from its text: if the n-th hex digit of the hash is above 7, the n-th letter is a capital.
 */
function isChecksummed(address: string): boolean {
  const digits = address.slice(2)
  const hash = keccak_256(Buffer.from(digits.toLowerCase(), 'latin1'))
  return [...digits].every((digit, at) => {
    const nibble = ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 15
    return !/[a-f]/i.test(digit) || nibble > 7 === /[A-F]/.test(digit)
  })
}

test('of all digits changed in a checksummed EVM address only those pass whose checksum is right by chance', () => {
  // 4 addresses of 40 digits, 21 other characters for each.
  const changed = allCorruptions(evmMixed, hexDigits, 4 * 40 * 21, 2)
  const passed = changed.filter((address) => accepts('polygon', address))
  assert.deepEqual(passed, changed.filter(isChecksummed))
  // The chance is about 1 in 4,000 (EIP-55).
  assert.ok(passed.length <= 3, `${passed.length} of ${changed.length}`)
  assert.deepEqual(
    passed,
    changed.filter((address) => accepts('xdc', address.replace('0x', 'xdc'))),
  )
})

test('the prefix of an EVM or XDC address is lower case, and each of its characters is needed', () => {
  const [address = ''] = evmMixed
  const others = `${base58Digits}0OIl`
  const prefixes = [...corruptions(address, others, 0)].filter((wrong) => wrong.slice(2) === address.slice(2))
  const ofXdc = address.replace('0x', 'xdc')
  const xdcPrefixes = [...corruptions(ofXdc, others, 0)].filter((wrong) => wrong.slice(3) === ofXdc.slice(3))
  assert.deepEqual([prefixes.length, xdcPrefixes.length], [2 * 61, 3 * 61])
  for (const wrong of [...prefixes, address.slice(2), `0X${address.slice(2)}`]) {
    assert.ok(!accepts('ethereum', wrong) && !accepts('xdc', wrong), wrong)
  }
  for (const wrong of [...xdcPrefixes, ofXdc.toUpperCase(), `XDC${address.slice(2)}`])
    assert.ok(!accepts('xdc', wrong), wrong)
})

test('every single changed character of a Tron address is refused', () => {
  for (const wrong of allCorruptions(tronVectors, base58Digits, tronVectors.length * 34 * 57)) {
    assert.ok(!accepts('tron', wrong), wrong)
  }
})

test('every single changed character of a Stellar address is refused, muxed or not, and so are its invalid vectors', () => {
  for (const wrong of allCorruptions(stellarVectors, base32Digits, (56 + 69 + 69) * 31)) {
    assert.ok(!accepts('stellar', wrong), wrong)
  }
  assert.equal(stellarRefused.length, 20)
  for (const wrong of stellarRefused) assert.ok(!accepts('stellar', wrong), wrong)
})

test('a Solana address has no checksum: a changed one is refused exactly when it is not 32 bytes any more', () => {
  const changes = solanaVectors.map((address) => address.length * 57).reduce((sum, count) => sum + count)
  let passed = 0
  for (const wrong of allCorruptions(solanaVectors, base58Digits, changes)) {
    const is32Bytes = base58.decode(wrong).length === 32
    const isSystemProgram = wrong === '1'.repeat(32)
    assert.equal(accepts('solana', wrong), is32Bytes && !isSystemProgram, wrong)
    if (is32Bytes) passed += 1
  }
  assert.ok(passed > changes / 2 && passed < changes, `${passed} of ${changes}`)
  for (const length of [0, 1, 31, 45, 64, 88]) {
    for (const digit of ['1', '2', 'A', 'z']) assert.ok(!accepts('solana', digit.repeat(length)), `${length} ${digit}`)
  }
})

test('a character that is in no alphabet of the family is refused in every place: look-alikes, blanks, marks', () => {
  const strangers = '0OIl-_+/= .,\u0000\n\u00a0\u200b\u0430\u0435\u043e\u0410\u041e\uff21\uff10\u017f\u212a'
  const families: [string, readonly string[], string][] = [
    ['ethereum', evmMixed, hexDigits],
    ['solana', solanaVectors, base58Digits],
    ['tron', tronVectors, base58Digits],
    ['stellar', stellarVectors, base32Digits],
  ]
  let refused = 0
  for (const [rail, addresses, alphabet] of families) {
    const foreign = [...strangers].filter((character) => !alphabet.includes(character)).join('')
    assert.ok(foreign.length >= 23)
    for (const address of addresses) {
      for (const wrong of corruptions(address, foreign, rail === 'ethereum' ? 2 : 0)) {
        refused += 1
        assert.ok(!accepts(rail, wrong), `${rail} ${JSON.stringify(wrong)}`)
      }
    }
  }
  assert.ok(refused > 15_000, String(refused))
})

test('any key makes a Tron address that is accepted, and with another version byte one that is not', () => {
  const { encode } = createBase58check(sha256)
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.nat(255), (key, version) => {
      fc.pre(key.some((byte) => byte !== 0))
      assert.equal(accepts('tron', encode(Uint8Array.from([version, ...key]))), version === 0x41)
    }),
  )
})

test('a lost, doubled or added character is refused', () => {
  const all: [string, string][] = [
    ...evmMixed.map((address): [string, string] => ['ethereum', address]),
    ...tronVectors.map((address): [string, string] => ['tron', address]),
    ...stellarVectors.map((address): [string, string] => ['stellar', address]),
  ]
  fc.assert(
    fc.property(fc.constantFrom(...all), fc.nat(), ([rail, address], place) => {
      const at = place % address.length
      assert.ok(!accepts(rail, address.slice(0, at) + address.slice(at + 1)))
      assert.ok(!accepts(rail, address.slice(0, at) + address.charAt(at) + address.slice(at)))
      for (const dressed of [` ${address}`, `${address} `, `${address}\n`]) assert.ok(!accepts(rail, dressed))
    }),
  )
  assert.ok(!accepts('solana', `${solanaVectors[0]}1`), 'Solana has a length, though no checksum')
  assert.ok(!accepts('solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt'))
})

test('addresses nobody holds a key of are refused', () => {
  assert.ok(!accepts('base', `0x${'0'.repeat(40)}`))
  assert.ok(!accepts('xdc', `xdc${'0'.repeat(40)}`))
  assert.ok(!accepts('solana', '1'.repeat(32)))
  assert.ok(!accepts('tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'))
})

test('a Stellar address with a right checksum and another length is refused', () => {
  const key = Array.from({ length: 32 }, (_, at) => at)
  assert.ok(accepts('stellar', stellarOf([6 << 3, ...key])))
  // Of 64 characters; the last 56 look like an address.
  const long = stellarOf([6 << 3, ...key.slice(0, 4), 6 << 3, ...key])
  assert.match(long, /G[A-Z2-7]{55}$/)
  assert.ok(!accepts('stellar', long))
})

const muxedStellar = (key: Uint8Array, id: number) => stellarOf([12 << 3, ...key, ...new Uint8Array(7), id])

function stellarOf(body: readonly number[]): string {
  let crc = 0
  for (const byte of body) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return base32nopad.encode(Uint8Array.from([...body, crc & 0xff, crc >> 8]))
}

/** All spellings of the same account. */
function spellings(family: keyof typeof coinAddresses, address: string): [rails: string[], address: string][] {
  if (family === 'solana' || family === 'tron') return [[[family], address]]
  if (family === 'stellar') {
    const key = base32nopad.decode(address).subarray(1, 33)
    return [address, muxedStellar(key, 0), muxedStellar(key, 7)].map((text) => [['stellar'], text])
  }
  const cases = [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]
  return cases.flatMap((text): [string[], string][] => [
    [[...evmRails, 'xdc'], text],
    [['xdc'], text.replace('0x', 'xdc')],
  ])
}

const coinWords = { evm: 'contract', solana: 'mint', stellar: 'issuer', tron: 'contract' }

test('each address that nobody holds a key of is refused by name, however it is written, on every chain of its family', () => {
  let refused = 0
  for (const family of ['evm', 'solana', 'stellar', 'tron'] as const) {
    const coins = Object.entries(coinAddresses[family]).map(([coin, byChain]): [string, readonly string[]] => [
      `the ${coinWords[family]} of ${coin}`,
      Object.values(byChain),
    ])
    for (const [what, addresses] of [...coins, ...Object.entries(systemAddresses[family])]) {
      for (const [rails, address] of addresses.flatMap((each) => spellings(family, each))) {
        for (const rail of rails) {
          const rule = `is ${what}, not a wallet`
          assert.deepEqual(check(rail, address), { ok: false, param: 'destination.address', rule }, address)
          refused += 1
        }
      }
    }
  }
  assert.ok(refused > 1_000, String(refused))
})

// The provider publishes no list of its contracts, and none for usdl_linea.
const unpublished = ['usdb on base', 'usdb on ethereum', 'usdb on tempo', 'usdl_linea on linea']

test('every token has its contract, mint or issuer in the list for every chain, except those that nobody publishes', () => {
  const missing: string[] = []
  for (const [rail, { addressFamily, currencies }] of Object.entries(offer.chains)) {
    const listed = coinAddresses[addressFamily === 'xdc' ? 'evm' : addressFamily]
    missing.push(...currencies.filter((coin) => !listed[coin]?.[rail]).map((coin) => `${coin} on ${rail}`))
  }
  assert.deepEqual(missing.sort(), unpublished)
})

test('what a chain keeps for itself is refused from end to end of its range, and its neighbour is a wallet', () => {
  const ranges: [first: string, last: string, neighbour: string][] = [
    ['1', 'ffff', '10000'],
    [`2${'0'.repeat(38)}`, `2${'0'.repeat(36)}ff`, `2${'0'.repeat(35)}100`],
    [`42${'0'.repeat(38)}`, `42${'0'.repeat(35)}7ff`, `42${'0'.repeat(35)}800`],
    [`20c0${'0'.repeat(36)}`, `20c0${'0'.repeat(20)}${'f'.repeat(16)}`, `20c0${'0'.repeat(19)}1${'0'.repeat(16)}`],
  ]
  const whole = (digits: string) => `0x${digits.padStart(40, '0')}`
  for (const [first, last, neighbour] of ranges) {
    for (const rail of [...evmRails, 'xdc']) {
      assert.ok(!accepts(rail, whole(first)) && !accepts(rail, whole(last)), `${rail} ${first}`)
      assert.ok(accepts(rail, whole(neighbour)), `${rail} ${neighbour}`)
    }
  }
})

test('a memo is text that is not empty, on chains with memos and for plain accounts only', () => {
  const [account = '', muxed = ''] = stellarVectors
  for (const [rail, address] of [
    ['stellar', account],
    ['tron', tronVectors[0] ?? ''],
    ['tempo', evmMixed[0] ?? ''],
  ] as const) {
    for (const memo of ['order 1234', 'é'.repeat(14), 'x'.repeat(64)]) assert.ok(accepts(rail, address, memo), rail)
    for (const memo of ['', ' ', ' 123 ', '123\u00a0', '12\u200b3', 'a\u0000b', 'a\nb', '\ud800'])
      assert.ok(!accepts(rail, address, memo), JSON.stringify(memo))
  }
  assert.ok(!accepts('stellar', muxed, 'order 1234'))
  assert.deepEqual(check('solana', solanaVectors[0] ?? '', 'order 1234'), {
    ok: false,
    param: 'destination.blockchain_memo',
    rule: 'must be left out: this payment rail has no memos',
  })
})

test('no text makes it throw or shows in an answer', () => {
  const rail = fc.constantFrom(...Object.keys(offer.chains))
  const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[A-Za-z0-9]{20,80}$/))
  fc.assert(
    fc.property(rail, text, fc.option(text, { nil: undefined }), (name, address, memo) => {
      const answer = check(name, address, memo)
      if (!answer.ok && address.length > 12) assert.ok(!answer.rule.includes(address))
    }),
    { numRuns: 1_000 },
  )
  assert.ok(!accepts('solana', '1'.repeat(1_000_000)))
  const ruleOf = (length: number) => (check('base', '0'.repeat(length)) as { rule?: string }).rule
  const zero = check('base', `0x${'0'.repeat(40)}`)
  assert.ok(!zero.ok && zero.rule.includes('zero address'))
  assert.equal(ruleOf(129), 'must have at most 128 characters')
  assert.notEqual(ruleOf(128), 'must have at most 128 characters')
})

test('a rail an operator added is checked by its family; an unknown one is a programming error', () => {
  const table = extendRails(offer, { chains: { sei: { addressFamily: 'evm', currencies: ['usdc'] } } })
  assert.ok(check('sei', evmMixed[0] ?? '', undefined, table).ok)
  assert.throws(() => check('sei', evmMixed[0] ?? ''), RangeError)
})
