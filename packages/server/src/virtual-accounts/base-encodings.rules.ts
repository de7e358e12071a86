// Text to bytes in the two encodings of wallet addresses. Null for a text that is no encoding of anything.

const base58Digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base58 with Bitcoin's alphabet: one number, each leading `1` a leading zero byte. For short texts: it takes n² steps. */
export function decodeBase58(text: string): Uint8Array | null {
  let number = 0n
  for (const character of text) {
    const digit = base58Digits.indexOf(character)
    if (digit < 0) return null
    number = number * 58n + BigInt(digit)
  }
  const zeros = text.length - text.replace(/^1+/, '').length
  const digits = number === 0n ? '' : number.toString(16)
  return Buffer.concat([
    Buffer.alloc(zeros),
    Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'),
  ])
}

/** Base32 of RFC 4648 without padding. Bits left over must be zero: each value has one spelling. */
export function decodeBase32(text: string): Uint8Array | null {
  const bytes: number[] = []
  let [held, bits] = [0, 0]
  for (const character of text) {
    const digit = base32Digits.indexOf(character)
    if (digit < 0) return null
    held = (held << 5) | digit
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push(held >> bits)
      held &= (1 << bits) - 1
    }
  }
  return bits < 5 && held === 0 ? Uint8Array.from(bytes) : null
}
