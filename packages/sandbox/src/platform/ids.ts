// Identifiers and random numbers in the provider's forms. No identifier is longer than 42 characters.
import { randomBytes, randomInt, randomUUID } from 'node:crypto'

export const newId = (): string => randomUUID()

export const newWebhookId = (): string => `wep_${randomBytes(12).toString('hex')}`

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export const randomBase58 = (length: number): string =>
  Array.from({ length }, () => base58.charAt(randomInt(base58.length))).join('')

export const newEventId = (): string => `wh_${randomBase58(22)}`

export const randomDigits = (length: number): string => Array.from({ length }, () => randomInt(10)).join('')

export const randomHex = (length: number): string =>
  randomBytes(Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length)
