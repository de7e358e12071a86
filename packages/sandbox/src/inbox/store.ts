// The contents of the inboxes: messages, settings, and the ids of accepted messages. They are in memory and limited in
// number and size, because any program on this machine may post to an inbox.
import type { IncomingHttpHeaders } from 'node:http'
import { bodyBytesKeptMax, describeDelivery, judgeAgain, type Message } from './message.ts'
import { type InboxSettings, initialSettings } from './settings.ts'

export type Inbox = {
  settings: InboxSettings
  /** Newest first. */
  messages: Message[]
  keptBytes: number
  /** IDs with a 2xx response, oldest first. */
  takenIds: Set<string>
  version: number
}

const inboxesMax = 100
const messagesMax = 500
const inboxBytesMax = 4 * 1024 * 1024
const takenIdsMax = 5000

/** Removes the oldest messages above the limits of count and bytes. The newest message always stays. */
const trim = (inbox: Inbox): void => {
  while (inbox.messages.length > messagesMax || (inbox.keptBytes > inboxBytesMax && inbox.messages.length > 1)) {
    inbox.keptBytes -= Math.min(inbox.messages.pop()?.bodyBytes ?? 0, bodyBytesKeptMax)
  }
}

const openIn = (inboxes: Map<string, Inbox>, name: string): Inbox => {
  const fresh = { settings: initialSettings, messages: [], keptBytes: 0, takenIds: new Set<string>(), version: 0 }
  const inbox = inboxes.get(name) ?? fresh
  // The map's order is the order of last use, so the first inbox is the least recently used.
  inboxes.delete(name)
  inboxes.set(name, inbox)
  const [oldest] = inboxes.keys()
  if (inboxes.size > inboxesMax && oldest !== undefined) inboxes.delete(oldest)
  return inbox
}

const markTaken = ({ takenIds }: Inbox, id: string): void => {
  takenIds.add(id)
  const [oldest] = takenIds
  if (takenIds.size > takenIdsMax && oldest !== undefined) takenIds.delete(oldest)
}

const isTaken = ({ verified, status }: Message): boolean =>
  verified !== false && status !== null && status >= 200 && status < 300

const rejudge = (inbox: Inbox, keys: InboxSettings['keys']): void => {
  for (const message of inbox.messages) {
    judgeAgain(message, keys)
    if (isTaken(message) && message.id !== null) markTaken(inbox, message.id)
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

  return {
    find: (name: string): Inbox | undefined => inboxes.get(name),

    receive: (name: string, headers: IncomingHttpHeaders, body: Buffer): { inbox: Inbox; message: Message } => {
      const inbox = openIn(inboxes, name)
      const described = describeDelivery({ headers, body, keys: inbox.settings.keys, nowMs: now() })
      const duplicate = described.id !== null && inbox.takenIds.has(described.id)
      messageCount += 1
      const message: Message = { number: messageCount, ...described, duplicate, status: null }
      inbox.messages.unshift(message)
      inbox.keptBytes += Math.min(message.bodyBytes, bodyBytesKeptMax)
      trim(inbox)
      touch(inbox)
      return { inbox, message }
    },

    recordAnswer: (inbox: Inbox, message: Message, status: number): void => {
      message.status = status
      // A forged message must not make the genuine one a duplicate, so `isTaken` requires a valid signature.
      if (isTaken(message) && message.id !== null) markTaken(inbox, message.id)
      touch(inbox)
    },

    configure: (name: string, settings: InboxSettings): Inbox => {
      const inbox = openIn(inboxes, name)
      if (settings.keys !== inbox.settings.keys) rejudge(inbox, settings.keys)
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
