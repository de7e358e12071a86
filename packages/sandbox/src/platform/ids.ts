// Identifiers and random texts.
import { randomBytes, randomInt, randomUUID } from 'node:crypto'

export const newId = (): string => randomUUID()

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export const randomBase58 = (length: number): string =>
  Array.from({ length }, () => base58.charAt(randomInt(base58.length))).join('')

export const randomDigits = (length: number): string => Array.from({ length }, () => randomInt(10)).join('')

export const randomHex = (length: number): string =>
  randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length)
