// A webhook inbox of the sandbox provider: the deliveries that it received, without their bodies, and its configured
// response.

import type { JsonObject } from '../platform/values/json.ts'
import { member, readList, readObject, requiredText, text, WireError } from './http/fields.ts'

export type InboxMessage = {
  /** `webhook-id`: the same for every attempt of one delivery. */
  webhookId: string | null
  eventType: string | null
  externalUserId: string | null
  attempt: number | null
  receivedAt: string
  /** Null while the inbox has no secret to verify signatures. */
  verified: boolean | null
  duplicate: boolean
  /** The status of the inbox's response; null if the sender gave up before. */
  status: number | null
}

export type InboxSettings = { respondWith: number; delayMs: number; failNext: number }

export function readInbox(answer: unknown): { settings: InboxSettings; messages: InboxMessage[] } {
  const inbox = readObject(answer)
  return { settings: readSettings(member(inbox, 'settings')), messages: readList(inbox['data']).map(readMessage) }
}

export function readSettings(settings: JsonObject): InboxSettings {
  const { respondWith, delayMs, failNext } = settings
  if (typeof respondWith !== 'number' || typeof delayMs !== 'number' || typeof failNext !== 'number')
    throw new WireError('inbox without settings')
  return { respondWith, delayMs, failNext }
}

function readMessage(message: JsonObject): InboxMessage {
  const { verified } = message
  return {
    webhookId: text(message, 'id'),
    eventType: text(message, 'eventType'),
    externalUserId: text(message, 'externalUserId'),
    attempt: numberOf(message, 'attempt'),
    receivedAt: requiredText(message, 'delivery', 'receivedAt'),
    verified: typeof verified === 'boolean' ? verified : null,
    duplicate: message['duplicate'] === true,
    status: numberOf(message, 'status'),
  }
}

function numberOf(message: JsonObject, name: string): number | null {
  const value = message[name]
  return typeof value === 'number' ? value : null
}
