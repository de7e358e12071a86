// The provider's event log. Each item is kept byte for byte as in the response, because these bytes are forwarded.

import { readList, readObject, text, timeMs } from '../../http/fields.ts'
import type { ListedEvents } from '../../port.ts'

/**
 * Reads a page of the event log, oldest event first. Skips items without an ID: they cannot be deduplicated.
 * @param answeredAt the provider's clock, which its events use too
 * @param answer the body before it was parsed
 */
export function readEventList(body: unknown, answeredAt: string | null, answer: string): ListedEvents {
  const list = readList(body)
  const texts = itemTexts(answer)
  const events = list.flatMap((item, at) => {
    const eventId = text(item, 'event_id')
    if (eventId === null) return []
    const slice = texts[at]
    // The scanner is custom: if it differs from the parser, the parser's result counts.
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
 * The text of each object of the list in `data` (or of a bare list), from a text that a parser has accepted. In valid
 * JSON, a string or a bracket can begin only where this pattern sees it.
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
        items = [] // of two members with one name the parser keeps the last
      } else if (listDepth !== null && depth === listDepth + 1) itemStart = index
    } else if (closing.has(token)) {
      if (listDepth !== null && depth === listDepth + 1) items.push(json.slice(itemStart, index + 1))
      if (depth === listDepth) listDepth = null
      depth -= 1
    }
  }
  return items
}
