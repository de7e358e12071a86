// The provider's record of its events: each item as it stands in the answer, byte for byte, because that text is what is
// forwarded, and beside it what the record is read by.

import type { ListedEvent, ListedEvents } from '../types.ts'
import { readList, readObject, text, timeMs } from './fields.ts'

/** An item without an id can be neither told from another nor asked for again: it is passed over. */
export function readEventList(body: unknown, answeredAt: string | null, answer: string): ListedEvents {
  const list = readList(body)
  const texts = itemTexts(answer)
  const events = list.flatMap((item, at): ListedEvent[] => {
    const eventId = text(item, 'event_id')
    if (eventId === null) return []
    const slice = texts[at]
    // Cut out by a scanner of our own, so held against the parser: where they differ, the parser's reading counts.
    const rawText = slice !== undefined && idIn(slice) === eventId ? slice : JSON.stringify(item)
    const createdAtMs = timeMs(text(item, 'event_created_at'))
    return [{ eventId, createdAtMs, rawBody: Buffer.from(rawText) }]
  })
  return { events, answeredAtMs: timeMs(answeredAt) }
}

function idIn(itemText: string): string | null {
  return text(readObject(JSON.parse(itemText)), 'event_id')
}

const opening = new Set(['{', '['])
const closing = new Set(['}', ']'])
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/g

/**
 * The text of each object of the list in `data` (or of a bare list), out of a text that a parser has accepted. In valid
 * JSON a string or a bracket can begin nowhere but where this pattern sees it.
 */
function itemTexts(json: string): string[] {
  let items: string[] = []
  let depth = 0
  let listDepth: number | null = null
  let itemStart = 0
  let member: string | null = null
  for (const { 0: token, index } of json.matchAll(tokens)) {
    if (token.startsWith('"')) {
      if (depth === 1) member = token
    } else if (opening.has(token)) {
      depth += 1
      const isList = token === '[' && (depth === 1 || (depth === 2 && member === '"data"'))
      if (isList && listDepth === null) {
        listDepth = depth
        items = [] // of two members of one name the parser keeps the last
      } else if (listDepth !== null && depth === listDepth + 1) itemStart = index
    } else if (closing.has(token)) {
      if (listDepth !== null && depth === listDepth + 1) items.push(json.slice(itemStart, index + 1))
      if (depth === listDepth) listDepth = null
      depth -= 1
    }
  }
  return items
}
