// Estimates how hard a secret is to guess, by its characters: one letter forty times is long and hides nothing.

/** `openssl rand -hex 16` has about 115 by this measure, words and keyboard patterns far less. */
const bitsMin = 100
const commonWords = /secret|password|passwort|change|example|causeway|default|qwerty/i

export function isGuessable(secret: string): boolean {
  const codes = Array.from(secret, (character) => character.codePointAt(0) ?? 0)
  const steps = codes.slice(1).map((code, at) => code - (codes[at] ?? 0))
  return Math.min(bitsOf(codes), bitsOf(steps)) < bitsMin || commonWords.test(secret)
}

/** Shannon entropy of the numbers: an upper bound of the information in them. */
function bitsOf(numbers: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= count * Math.log2(count / numbers.length)
  return bits
}
