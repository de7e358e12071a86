// Checks wallet addresses by rail: form, length and checksum, as far as each family has them, and that somebody can
// hold the key. Money sent to a wrong address is lost, so everything that the text alone shows is rejected here.
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base32nopad, base58, createBase58check } from '@scure/base'
import { coinAddresses, reservedEvmDigits, systemAddresses } from '../../platform/values/keyless-addresses.ts'
import { type AddressFamily, chainOf, type RailTable } from '../../platform/values/rails.ts'

/** A `rule` completes "destination.address …" or "destination.blockchain_memo …" and never holds the value. */
export type AddressCheck =
  | { ok: true }
  | { ok: false; param: 'destination.address' | 'destination.blockchain_memo'; rule: string }

/** The longest address (a muxed Stellar account) has 69 characters. Decoders never get a longer text. */
const addressCharsMax = 128

/** @param rail a name from `destination.payment_rail` that is in `table`; an unknown one throws RangeError */
export function checkWalletAddress(
  rail: string,
  address: string,
  memo: string | undefined,
  table: RailTable,
): AddressCheck {
  const chain = chainOf(table, rail)
  if (chain === null) throw new RangeError('the rail is not in the table')
  const { addressFamily: family } = chain
  const rule =
    address.length > addressCharsMax
      ? `must have at most ${addressCharsMax} characters`
      : (checks[family](address) ?? checkHolder(family, address))
  if (rule !== null) return { ok: false, param: 'destination.address', rule }
  if (memo === undefined) return { ok: true }
  if (address.startsWith('M') && family === 'stellar') {
    const muxedRule = 'must be left out: a muxed (M…) address already contains its account'
    return { ok: false, param: 'destination.blockchain_memo', rule: muxedRule }
  }
  return checkMemoOf(rail, memo, table)
}

/** Checks the memo of a target that is not an address. @param rail as `checkWalletAddress` */
export function checkMemoOf(rail: string, memo: string | undefined, table: RailTable): AddressCheck {
  if (memo === undefined) return { ok: true }
  const rule = checkMemo(memo, chainOf(table, rail)?.memo === true)
  return rule === null ? { ok: true } : { ok: false, param: 'destination.blockchain_memo', rule }
}

/** Each check returns null for an address, and otherwise the broken rule. */
const checks: Record<AddressFamily, (address: string) => string | null> = {
  evm: checkEvm,
  solana: checkSolana,
  stellar: checkStellar,
  tron: checkTron,
  xdc: (address) => checkEvm(address.replace(/^xdc/, '0x'), 'must be xdc or 0x and 40 hexadecimal digits'),
}

/** The name of a coin's address on the chains of each family. */
const coinWords = { evm: 'contract', solana: 'mint', stellar: 'issuer', tron: 'contract' } as const
type KeylessFamily = keyof typeof coinWords

const keyless: Readonly<Record<KeylessFamily, ReadonlyMap<string, string>>> = {
  evm: keylessOf('evm'),
  solana: keylessOf('solana'),
  stellar: keylessOf('stellar'),
  tron: keylessOf('tron'),
}

function keylessOf(family: KeylessFamily): ReadonlyMap<string, string> {
  const coins = Object.entries(coinAddresses[family]).map(
    ([coin, byChain]) => [`the ${coinWords[family]} of ${coin}`, Object.values(byChain)] as const,
  )
  const all = [...coins, ...Object.entries(systemAddresses[family])]
  return new Map(
    all.flatMap(([what, addresses]) => addresses.map((address) => [keyOf(family, address), what] as const)),
  )
}

/** @returns null if somebody may control a well-formed address */
function checkHolder(family: AddressFamily, address: string): string | null {
  const key = keyOf(family, address)
  const isEvm = family === 'evm' || family === 'xdc'
  const reserved = isEvm ? reservedEvmDigits.find(({ digits }) => digits.test(key)) : undefined
  const what = keyless[family === 'xdc' ? 'evm' : family].get(key) ?? reserved?.what
  return what === undefined ? null : `is ${what}, not a wallet`
}

/** Two texts name one account exactly when their keys are equal. */
function keyOf(family: AddressFamily, address: string): string {
  if (family === 'evm' || family === 'xdc') return address.replace(/^(?:0x|xdc)/, '').toLowerCase()
  if (family !== 'stellar') return address
  // A muxed address holds the key of its account before the number.
  return bytesToHex(base32nopad.decode(address).subarray(1, 33))
}

function checkEvm(address: string, formRule = 'must be 0x and 40 hexadecimal digits'): string | null {
  // `0X` and `XDC` would name the same key, but not every later reader accepts them as a prefix.
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(address)?.[1]
  if (digits === undefined) return formRule
  if (/^0{40}$/.test(digits)) return 'must not be the zero address: no one has its key'
  const lower = digits.toLowerCase()
  // Uniform case has no checksum: many wallets show addresses so.
  if (digits === lower || digits === digits.toUpperCase()) return null
  return digits === checksumCase(lower) ? null : 'has mixed case that fails the EIP-55 checksum'
}

/** EIP-55: a letter is upper case where the same digit of the hash is 8 or more. */
function checksumCase(lower: string): string {
  const hash = bytesToHex(keccak_256(new TextEncoder().encode(lower)))
  return [...lower].map((digit, at) => (hash.charAt(at) >= '8' ? digit.toUpperCase() : digit)).join('')
}

function checkSolana(address: string): string | null {
  const key = decoded(base58, address)
  if (key?.length !== 32) return 'must be 32 bytes in base58'
  return key.every((byte) => byte === 0) ? 'must not be the system program: no one has its key' : null
}

function checkTron(address: string): string | null {
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(address)) return 'must be T and 33 base58 characters'
  const payload = decoded(base58check, address)
  if (payload?.length !== 21 || payload[0] !== 0x41) return 'fails the base58check checksum'
  return payload.subarray(1).every((byte) => byte === 0) ? 'must not be the zero address: no one has its key' : null
}

/** SEP-23: a version byte, 32 bytes of public key, 8 more of account id when muxed (M…), CRC16. */
function checkStellar(address: string): string | null {
  const form = /^(?:G[A-Z2-7]{55}|M[A-Z2-7]{68})$/.test(address)
  if (!form) return 'must be a Stellar account: G and 55, or M and 68, characters of base32'
  const bytes = decoded(base32nopad, address)
  const version = address.startsWith('G') ? 6 << 3 : 12 << 3
  if (bytes === null || bytes[0] !== version) return 'is not a Stellar account'
  const body = bytes.subarray(0, -2)
  const crc = crc16(body)
  const matches = bytes.at(-2) === (crc & 0xff) && bytes.at(-1) === crc >> 8
  return matches ? null : 'fails the Stellar checksum'
}

/** CRC16-XMODEM: polynomial 0x1021, initial value 0. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc
}

function checkMemo(memo: string, allowed: boolean): string | null {
  if (!allowed) return 'must be left out: this payment rail has no memos'
  // The allowed length of a memo differs by chain, and the provider does not document it, so the provider checks it.
  if (memo.trim() === '') return 'must not be empty'
  if (/\p{Cc}/u.test(memo) || !memo.isWellFormed()) return 'must not contain control characters'
  // An exchange finds its customer by the exact text: invisible characters are a mistake.
  return memo !== memo.trim() || /\p{Cf}/u.test(memo)
    ? 'must not begin or end with a space or contain invisible characters'
    : null
}

const base58check = createBase58check(sha256)

/** Decodes a text, or returns null if it is not valid. */
function decoded(coder: { decode(text: string): Uint8Array }, text: string): Uint8Array | null {
  try {
    return coder.decode(text)
  } catch {
    return null
  }
}
