// The settings of an inbox: how it responds to deliveries, the accepted values, and the text for each mistake.
import { readSecret } from './signature.ts'

export type InboxSettings = {
  /** One key for each endpoint that points to the inbox, and for each secret that still signs after a rotation. */
  keys: readonly Buffer[]
  /** The response status for a delivery. */
  respondWith: number
  /** Milliseconds before a response. Above the sender's deadline, the inbox behaves like a receiver that times out. */
  delayMs: number
  /** The number of deliveries that get a 500 before `respondWith` applies again. */
  failNext: number
}

export const initialSettings: InboxSettings = { keys: [], respondWith: 200, delayMs: 0, failNext: 0 }

const bounds = {
  respondWith: { min: 100, max: 599 },
  delayMs: { min: 0, max: 60_000 },
  failNext: { min: 0, max: 1000 },
} as const

type Parsed = { ok: true; settings: InboxSettings } | { ok: false; message: string }
const refuse = (message: string): Parsed => ({ ok: false, message })

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const secretsMax = 50

const parseSecrets = (value: unknown): readonly Buffer[] | undefined => {
  if (!Array.isArray(value) || value.length > secretsMax) return undefined
  const keys = value.map((secret) => (typeof secret === 'string' ? readSecret(secret) : undefined))
  return keys.every((key) => key !== undefined) ? keys : undefined
}

/** Adds a key to those that exist, because a caller who never receives the other secrets cannot send the whole list. */
const addedKeys = (keys: readonly Buffer[], secret: unknown): readonly Buffer[] | undefined => {
  const [key] = parseSecrets([secret]) ?? []
  if (!key || keys.length >= secretsMax) return undefined
  return keys.some((known) => known.equals(key)) ? keys : [...keys, key]
}

/** Applies a partial change. */
export const changeSettings = (current: InboxSettings, change: unknown): Parsed => {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return refuse('Send a JSON object.')
  const settings = { ...current }
  for (const [name, value] of Object.entries(change)) {
    if (name === 'secrets' || name === 'addSecret') {
      const keys = name === 'secrets' ? parseSecrets(value) : addedKeys(settings.keys, value)
      if (!keys)
        return refuse(
          `A secret is whsec_ and the base64 of 16 to 128 bytes. An inbox has at most ${secretsMax} secrets.`,
        )
      settings.keys = keys
    } else if (name === 'respondWith' || name === 'delayMs' || name === 'failNext') {
      const { min, max } = bounds[name]
      if (!isInteger(value) || value < min || value > max) {
        return refuse(`${name} must be a whole number from ${min} to ${max}.`)
      }
      settings[name] = value
    } else {
      return refuse(
        `${name.slice(0, 64)} is not a setting. There are secrets, addSecret, respondWith, delayMs and failNext.`,
      )
    }
  }
  return { ok: true, settings }
}

/** Renders the settings without the secrets. */
export const publicSettings = ({ keys, ...shown }: InboxSettings) => ({ secretCount: keys.length, ...shown })
