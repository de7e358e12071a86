// Owns what the inboxes remember: messages, settings and which ids were taken already. In memory and bounded in
// every direction, because anything on this machine may post here.
import type { IncomingHttpHeaders } from 'node:http'
import { type InboxSettings, initialSettings } from './inbox-settings.ts'
import { judge, type Verdict } from './signature.ts'

export type Message = {
  /** Counts up over all inboxes; unique where `id` repeats with every attempt. */
  number: number
  /** `webhook-id`: the same for every attempt of one delivery. */
  id: string | null
  receivedAt: string
  eventType: string | null
  externalUserId: string | null
  sequence: number | null
  attempt: number | null
  /** `null` when no secret is set, so nothing could be checked. */
  verified: boolean | null
  verdict: Verdict
  /** An earlier message with this id was answered with 2xx and had no wrong signature. */
  duplicate: boolean
  /** What it was answered with; `null` while it waits, and for good when the sender gave up. */
  status: number | null
  headers: Record<string, string>
  /** The body as text, its first 64 KiB. */
  body: string
  bodyBytes: number
  truncated: boolean
}

export type Inbox = {
  settings: InboxSettings
  /** Newest first. */
  messages: Message[]
  keptBytes: number
  /** Ids answered with 2xx, oldest first. */
  takenIds: Set<string>
  version: number
}

const inboxesMax = 100
const messagesMax = 500
const bodyBytesKeptMax = 64 * 1024
const inboxBytesMax = 4 * 1024 * 1024
const takenIdsMax = 5000

const text = (headers: IncomingHttpHeaders, name: string): string | null => {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

const wholeNumber = (headers: IncomingHttpHeaders, name: string): number | null => {
  const value = text(headers, name)
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null
}

const flatten = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

/** The oldest messages make room for the newest, by count and by bytes. The newest always stays. */
const trim = (inbox: Inbox): void => {
  while (inbox.messages.length > messagesMax || (inbox.keptBytes > inboxBytesMax && inbox.messages.length > 1)) {
    inbox.keptBytes -= Math.min(inbox.messages.pop()?.bodyBytes ?? 0, bodyBytesKeptMax)
  }
}

export type InboxStore = ReturnType<typeof createInboxStore>

export const createInboxStore = ({ now }: { now: () => number }) => {
  const inboxes = new Map<string, Inbox>()
  let changes = 0
  let messageCount = 0

  const touch = (inbox: Inbox): void => {
    changes += 1
    inbox.version = changes
  }

  const open = (name: string): Inbox => {
    const inbox = inboxes.get(name) ?? {
      settings: initialSettings,
      messages: [],
      keptBytes: 0,
      takenIds: new Set<string>(),
      version: 0,
    }
    // Put last again, so that the first is always the one longest unused.
    inboxes.delete(name)
    inboxes.set(name, inbox)
    const [oldest] = inboxes.keys()
    if (inboxes.size > inboxesMax && oldest !== undefined) inboxes.delete(oldest)
    return inbox
  }

  const describe = (inbox: Inbox, headers: IncomingHttpHeaders, body: Buffer): Message => {
    const id = text(headers, 'webhook-id')
    const nowMs = now()
    const signed = {
      id: id ?? undefined,
      timestamp: text(headers, 'webhook-timestamp') ?? undefined,
      signature: text(headers, 'webhook-signature') ?? undefined,
      body,
    }
    const verdict = judge(signed, inbox.settings.key, nowMs)
    messageCount += 1
    return {
      number: messageCount,
      id,
      receivedAt: new Date(nowMs).toISOString(),
      eventType: text(headers, 'svc-event-type'),
      externalUserId: text(headers, 'svc-external-user-id'),
      sequence: wholeNumber(headers, 'svc-sequence'),
      attempt: wholeNumber(headers, 'svc-attempt'),
      verified: verdict === 'no_secret' ? null : verdict === 'valid',
      verdict,
      duplicate: id !== null && inbox.takenIds.has(id),
      status: null,
      headers: flatten(headers),
      body: body.subarray(0, bodyBytesKeptMax).toString('utf8'),
      bodyBytes: body.length,
      truncated: body.length > bodyBytesKeptMax,
    }
  }

  return {
    find: (name: string): Inbox | undefined => inboxes.get(name),

    /** Every inbox by name, the most recently used first. */
    list: (): [string, Inbox][] => [...inboxes].reverse(),

    receive: (name: string, headers: IncomingHttpHeaders, body: Buffer): { inbox: Inbox; message: Message } => {
      const inbox = open(name)
      const message = describe(inbox, headers, body)
      inbox.messages.unshift(message)
      inbox.keptBytes += Math.min(message.bodyBytes, bodyBytesKeptMax)
      trim(inbox)
      touch(inbox)
      return { inbox, message }
    },

    recordAnswer: (inbox: Inbox, message: Message, status: number): void => {
      message.status = status
      // A forged message must not make the real one look like a duplicate.
      if (message.id !== null && message.verified !== false && status >= 200 && status < 300) {
        inbox.takenIds.add(message.id)
        const [oldest] = inbox.takenIds
        if (inbox.takenIds.size > takenIdsMax && oldest !== undefined) inbox.takenIds.delete(oldest)
      }
      touch(inbox)
    },

    configure: (name: string, settings: InboxSettings): Inbox => {
      const inbox = open(name)
      inbox.settings = settings
      touch(inbox)
      return inbox
    },

    clear: (name: string): void => {
      const inbox = inboxes.get(name)
      if (!inbox) return
      inbox.messages = []
      inbox.keptBytes = 0
      inbox.takenIds.clear()
      touch(inbox)
    },
  }
}
