// Owns how an inbox answers deliveries and what a caller may set: parsed once here, with a text for each mistake.
import { readSecret } from './signature.ts'

export type InboxSettings = {
  key: Buffer | undefined
  /** The status a delivery is answered with. */
  respondWith: number
  /** How long a delivery waits for its answer; above the sender's deadline this is a receiver that times out. */
  delayMs: number
  /** So many deliveries from now on are answered with 500, then `respondWith` applies again. */
  failNext: number
}

export const initialSettings: InboxSettings = { key: undefined, respondWith: 200, delayMs: 0, failNext: 0 }

const bounds = {
  respondWith: { min: 100, max: 599 },
  delayMs: { min: 0, max: 60_000 },
  failNext: { min: 0, max: 1000 },
} as const

type Parsed = { ok: true; settings: InboxSettings } | { ok: false; message: string }
const refuse = (message: string): Parsed => ({ ok: false, message })

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

const parseSecret = (value: unknown): { key: Buffer | undefined } | undefined => {
  if (value === null) return { key: undefined }
  const key = typeof value === 'string' ? readSecret(value) : undefined
  return key ? { key } : undefined
}

/** Applies a partial change. An absent property stays as it is; `secret: null` forgets the secret. */
export const changeSettings = (current: InboxSettings, change: unknown): Parsed => {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return refuse('Send a JSON object.')
  const settings = { ...current }
  for (const [name, value] of Object.entries(change)) {
    if (name === 'secret') {
      const secret = parseSecret(value)
      if (!secret) return refuse('secret must be whsec_ and the base64 of 16 to 128 bytes, or null.')
      settings.key = secret.key
    } else if (name === 'respondWith' || name === 'delayMs' || name === 'failNext') {
      const { min, max } = bounds[name]
      if (!isInteger(value) || value < min || value > max) {
        return refuse(`${name} must be a whole number from ${min} to ${max}.`)
      }
      settings[name] = value
    } else {
      return refuse(`${name.slice(0, 64)} is not a setting. There are secret, respondWith, delayMs and failNext.`)
    }
  }
  return { ok: true, settings }
}

/** The settings as shown to callers. The secret itself is never given back. */
export const publicSettings = ({ key, ...shown }: InboxSettings) => ({ hasSecret: key !== undefined, ...shown })
