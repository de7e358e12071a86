// The text of a message. Names come from callers: in every format they are cut, kept on one line, and cannot form a link or markup.

import type { JsonObject } from '../../platform/values/json.ts'
import { type AlertKind, meanings } from '../kinds.rules.ts'

/** An alert in a message, as it was when the message was composed. */
export type Noticed = {
  id: string
  kind: AlertKind
  phase: 'opened' | 'recovered'
  subjectId: string
  openedAt: string
  recoveredAt: string | null
  details: JsonObject
}

export type Content = {
  /** The name of the business; null for the operator. */
  businessName: string | null
  isTest: boolean
  /** The first alerts of the message. */
  alerts: readonly Noticed[]
  /** How many alerts the message has in all. */
  total: number
}

/** Alerts that the text shows; the rest is a number. */
export const shownMax = 10
const nameCharsMax = 60

/** Keeps a name on one line: no control characters, no invisible or direction characters, no line separators. */
export function oneLine(text: string, charsMax = nameCharsMax): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const chars = [...line]
  return chars.length > charsMax ? `${chars.slice(0, charsMax - 1).join('')}…` : line
}

/** How a format writes our own words, a name, and a link. */
export type Format = { words(text: string): string; name(text: string): string; link(url: string): string }

// Mail programs make links of addresses; a space after the colon or dot prevents it.
const unlinked = (text: string): string =>
  text
    .replace(/:\/\//g, ': //')
    .replace(/@/g, ' at ')
    .replace(/\.(?=\S)/g, '. ')

export const plainFormat: Format = {
  words: (text) => text,
  name: (text) => `“${unlinked(oneLine(text))}”`,
  link: (url) => url,
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

// A zero-width space after each character of markup: Slack has no escape for these.
const unmarked = (text: string): string => text.replace(/[*_~`@#:[\]()|!\\-]/g, '$&\u200b')

export const slackFormat: Format = {
  words: escaped,
  name: (text) => `“${unmarked(escaped(unlinked(oneLine(text))))}”`,
  link: (url) => `<${escaped(url)}|Open in the console>`,
}

const titleOf = ({ kind, phase }: Noticed): string => {
  const { title, recovered } = meanings[kind]
  return phase === 'recovered' ? (recovered ?? title) : title
}

/** The subject of one alert: a host or an ID, never a whole URL: its path may contain a token. */
function subjectOf({ subjectId, details }: Noticed): string {
  return typeof details['host'] === 'string' ? oneLine(details['host'], 100) : subjectId
}

/** One line without control characters. */
export function subjectLine({ isTest, alerts, total }: Content): string {
  const [first] = alerts
  if (isTest || !first) return '[Causeway] Test message'
  const one = `${titleOf(first)}: ${subjectOf(first)}`
  return oneLine(`[Causeway] ${one}${total === 1 ? '' : ` and ${total - 1} more alert${total === 2 ? '' : 's'}`}`, 200)
}

/** @param consoleUrl without a trailing slash; null if the public URL is not known */
export function textOf(content: Content, format: Format, consoleUrl: string | null): string {
  const { isTest, alerts, total, businessName } = content
  const about = businessName === null ? [] : [`${format.words('Business: ')}${format.name(businessName)}`]
  if (isTest) return [format.words('This is a test message. The channel works.'), ...about].join('\n')
  const shown = alerts
    .slice(0, shownMax)
    .map((alert) => alertText(alert, format, consoleUrl && `${consoleUrl}${pageOf(alert, businessName === null)}`))
  const rest =
    total > shown.length ? [format.words(`… and ${total - shown.length} more. GET /v0/alerts lists them all.`)] : []
  return [...about, ...shown, ...rest].join('\n\n')
}

/** Pages of a business do not open for the operator. */
function pageOf({ kind, subjectId, details }: Noticed, isOperator: boolean): string {
  const page = meanings[kind].page(encodeURIComponent(subjectId), details)
  return isOperator && !page.startsWith('/operator') ? '/operator' : page
}

/** @param url of the alert in the console; null if it is not known */
function alertText(alert: Noticed, format: Format, url: string | null): string {
  const { phase, kind, details, openedAt, recoveredAt, subjectId } = alert
  const { action } = meanings[kind]
  const about = subjectOf(alert)
  const title = `${titleOf(alert)}: ${about}${about === subjectId ? '' : ` (${subjectId})`}`
  const times = phase === 'recovered' ? `From ${openedAt} to ${recoveredAt ?? 'now'}` : `Since ${openedAt}`
  const name = typeof details['name'] === 'string' ? [`${format.words('Name: ')}${format.name(details['name'])}`] : []
  const facts = factsOf(details).map(format.words)
  const link = url === null ? [] : [format.link(url)]
  return [
    format.words(title),
    ...name,
    ...facts,
    format.words(times),
    ...(phase === 'opened' ? [format.words(action)] : []),
    ...link,
  ].join('\n')
}

/** A code such as `deposits_restricted` in words. */
const wordsOf = (value: string | number): string =>
  /^[a-z]+(_[a-z]+)+$/.test(String(value)) ? String(value).replaceAll('_', ' ') : String(value)

const factNames = {
  reason: 'Reason',
  deadline: 'Deadline',
  count: 'Count',
  virtualAccountId: 'Virtual account',
  depositId: 'Deposit',
} as const

function factsOf(details: JsonObject): string[] {
  return Object.entries(factNames).flatMap(([member, label]) => {
    const value = details[member]
    return typeof value === 'string' || typeof value === 'number' ? [`${label}: ${oneLine(wordsOf(value), 200)}`] : []
  })
}
