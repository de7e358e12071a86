// Reads fields of the provider's JSON: absent, null and empty are the same, and no type is assumed.

import { isJsonObject, type Json, type JsonObject, parseWithoutRounding } from '../../platform/values/json.ts'

/** The provider's response lacks a required field. Names the field, never its value. */
export class WireError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WireError'
  }
}

/** Returns the first of `names` that holds a non-empty string. */
export function text(object: JsonObject, ...names: string[]): string | null {
  for (const name of names) {
    const value = object[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

export function requiredText(object: JsonObject, noun: string, name: string): string {
  const value = text(object, name)
  if (value === null) throw new WireError(`${noun} without ${name}`)
  return value
}

/** Amounts are decimal strings; a JSON number is read as the same digits. */
export function decimal(object: JsonObject, name: string): string | null {
  const value = object[name]
  return typeof value === 'number' ? String(value) : text(object, name)
}

/** Returns a member object; an empty one if it is absent or something else. */
export function member(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isJsonObject(value) ? value : {}
}

export function items(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

export function strings(value: Json | undefined): string[] {
  const list: (Json | undefined)[] = Array.isArray(value) ? value : [value]
  return list.filter((entry): entry is string => typeof entry === 'string' && entry !== '')
}

export function unique(list: string[]): string[] {
  return [...new Set(list)]
}

/**
 * Returns null for an empty body, and for a number that cannot be read exactly. The parser's own message quotes the
 * body, so it is dropped.
 */
export function parseJson(body: string): unknown {
  if (body === '') return null
  try {
    return parseWithoutRounding(body)
  } catch {
    throw new WireError('body is not JSON')
  }
}

export function readObject(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new WireError('body is not an object')
  return value
}

/** The ID of the object in an otherwise unreadable body, bare or wrapped in `data`. */
export function idWithin(body: unknown): string | null {
  if (!isJsonObject(body)) return null
  const id = text(body, 'id') ?? text(member(body, 'data'), 'id')
  return id !== null && /^[\w-]{1,128}$/.test(id) ? id : null
}

/** `{count?, data: [...]}`; `count` is often absent, and some lists come bare. */
export function readList(value: unknown): JsonObject[] {
  const list: unknown = isJsonObject(value) ? value['data'] : value
  if (!Array.isArray(list)) throw new WireError('list without data')
  if (!list.every(isJsonObject)) throw new WireError('list item is not an object')
  return list
}

/** `{url}` as in the schema, `{data: {url}}` as in the example. */
export function readUrl(value: unknown): { url: string } {
  const body = readObject(value)
  const url = text(body, 'url') ?? text(member(body, 'data'), 'url')
  if (url === null) throw new WireError('link without url')
  const link = webLink(url)
  if (link === null) throw new WireError('link is not a web address')
  return { url: link }
}

/**
 * The link in a form that a browser can open: some links have no scheme. Null for anything but a web page, since an
 * end-user's browser opens it.
 */
export function webLink(link: string): string | null {
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(link)
  const url = hasScheme ? link : `https://${link.replace(/^\/\//, '')}`
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : null
}

export function timeMs(time: string | null): number | null {
  const ms = time === null ? Number.NaN : Date.parse(time)
  return Number.isNaN(ms) ? null : ms
}
