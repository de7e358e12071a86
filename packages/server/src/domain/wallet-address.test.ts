// Proves address checks by each family's published vectors, and that slips of the hand do not pass.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import fc from 'fast-check'
import { defaultRails, extendRails } from './rails.ts'
import { checkWalletAddress } from './wallet-address.ts'

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

const solanaVectors = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', // USDC
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', // token program, 43 characters
  'So11111111111111111111111111111111111111112', // wrapped SOL
  'Vote111111111111111111111111111111111111111',
]

const tronVectors = [
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', // USDT
  'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', // WIN
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
  'CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA',
  'LA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUPJN',
  'PA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAQACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6IBZGM',
]

const accepts = (rail: string, address: string, memo?: string) => checkWalletAddress(rail, address, memo).ok

function* corruptions(address: string, alphabet: string, from: number): Generator<string> {
  for (let at = from; at < address.length; at++) {
    for (const other of alphabet) {
      if (other !== address[at]) yield address.slice(0, at) + other + address.slice(at + 1)
    }
  }
}

test('published addresses of every family are accepted as sent', () => {
  const evmRails = Object.keys(defaultRails.chains).filter((rail) => defaultRails.chains[rail]?.addressFamily === 'evm')
  const vectors: [string, string[]][] = [
    ...evmRails.map((rail): [string, string[]] => [rail, evmVectors]),
    ['solana', solanaVectors],
    ['tron', tronVectors],
    ['stellar', stellarVectors],
    ['xdc', evmVectors],
    ['xdc', evmVectors.map((address) => address.replace('0x', 'xdc'))],
  ]
  for (const [rail, addresses] of vectors) {
    for (const address of addresses) assert.deepEqual(checkWalletAddress(rail, address), { ok: true, address })
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

test('one letter of wrong case in a checksummed EVM address is always refused', () => {
  for (const address of evmMixed) {
    for (let at = 2; at < address.length; at++) {
      const letter = address.charAt(at)
      const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      if (flipped !== letter) assert.ok(!accepts('base', address.slice(0, at) + flipped + address.slice(at + 1)))
    }
  }
})

test('EIP-55 lets at most 1 in 1,000 changed digits through, and only its own chance collisions', () => {
  const changed = evmMixed.flatMap((address) => [...corruptions(address, hexDigits, 2)])
  const passed = changed.filter((address) => accepts('polygon', address))
  assert.ok(passed.length * 1_000 <= changed.length, `${passed.length} of ${changed.length}`)
})

test('every single changed character of a Tron address is refused', () => {
  for (const address of tronVectors) {
    for (const wrong of corruptions(address, base58Digits, 0)) assert.ok(!accepts('tron', wrong), wrong)
  }
})

test('every single changed character of a Stellar address is refused, and so are its invalid vectors', () => {
  for (const address of stellarVectors) {
    for (const wrong of corruptions(address, base32Digits, 0)) assert.ok(!accepts('stellar', wrong), wrong)
  }
  for (const wrong of stellarRefused) assert.ok(!accepts('stellar', wrong), wrong)
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

test('a memo is text of 1 to 28 bytes, on rails with memos and plain accounts only', () => {
  const [account = '', muxed = ''] = stellarVectors
  assert.ok(accepts('stellar', account, 'order 1234'))
  assert.ok(accepts('stellar', account, 'é'.repeat(14)))
  for (const memo of ['', 'é'.repeat(15), 'x'.repeat(29), 'a\u0000b', 'a\nb', '\ud800']) {
    assert.ok(!accepts('stellar', account, memo), JSON.stringify(memo))
  }
  assert.ok(!accepts('stellar', muxed, 'order 1234'))
  assert.deepEqual(checkWalletAddress('solana', solanaVectors[0] ?? '', 'order 1234'), {
    ok: false,
    param: 'destination.blockchain_memo',
    rule: 'must be left out: this payment rail has no memos',
  })
})

test('no text makes it throw or shows in an answer', () => {
  const rail = fc.constantFrom(...Object.keys(defaultRails.chains))
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Za-z0-9]{20,80}$/))
  fc.assert(
    fc.property(rail, text, fc.option(text, { nil: undefined }), (name, address, memo) => {
      const answer = checkWalletAddress(name, address, memo)
      if (!answer.ok && address.length > 12) assert.ok(!answer.rule.includes(address))
    }),
    { numRuns: 1_000 },
  )
  assert.ok(!accepts('solana', '1'.repeat(1_000_000)))
})

test('a rail an operator added is checked by its family; an unknown one is a programming error', () => {
  const table = extendRails(defaultRails, { chains: { sei: { addressFamily: 'evm', currencies: ['usdc'] } } })
  assert.ok(checkWalletAddress('sei', evmMixed[0] ?? '', undefined, table).ok)
  assert.throws(() => checkWalletAddress('sei', evmMixed[0] ?? ''), RangeError)
})
