// Makes a request that failed as small as it stays failing: headers, query, members of the body, lengths of texts.

import type { Finding } from './judge.ts'
import { judge } from './judge.ts'
import type { Made } from './requests/requests.ts'
import type { Sent, Wire } from './requests/wire.ts'

const triesMax = 120

type Failed = Pick<Made, 'sent' | 'expects'>

/** The request may depend on what was there then: if it does not fail again as it is, it is given back as it is. */
export async function shrink(
  wire: Wire,
  failed: Failed,
  kind: Finding['kind'],
): Promise<{ sent: Sent; repeats: boolean }> {
  let tries = 0
  const fails = async (sent: Sent): Promise<boolean> => {
    tries += 1
    try {
      return judge({ ...failed, sent }, await wire.send(sent)).some((finding) => finding.kind === kind)
    } catch {
      return kind === 'serverError'
    }
  }
  if (!(await fails(failed.sent))) return { sent: failed.sent, repeats: false }
  let smallest = failed.sent
  for (let smaller = true; smaller && tries < triesMax; ) {
    smaller = false
    for (const candidate of candidates(smallest)) {
      if (tries >= triesMax) break
      if (!(await fails(candidate))) continue
      smallest = candidate
      smaller = true
      break
    }
  }
  return { sent: smallest, repeats: true }
}

function* candidates(sent: Sent): Generator<Sent> {
  if (sent.chunked) yield { ...sent, chunked: false }
  for (let at = 0; at < sent.headers.length; at++) yield { ...sent, headers: sent.headers.toSpliced(at, 1) }
  const [path = '', query] = sent.path.split('?')
  if (query !== undefined) {
    yield { ...sent, path }
    const pairs = query.split('&')
    if (pairs.length > 1)
      for (let at = 0; at < pairs.length; at++) yield { ...sent, path: `${path}?${pairs.toSpliced(at, 1).join('&')}` }
  }
  if (sent.body === null) return
  yield { ...sent, body: null }
  for (const body of smallerBodies(sent.body)) yield { ...sent, body }
}

function* smallerBodies(body: Buffer): Generator<Buffer> {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    for (let part = body.length; part >= 16; part = Math.floor(part / 2)) yield body.subarray(0, Math.floor(part / 2))
    return
  }
  for (const smaller of smallerValues(value, 0)) yield Buffer.from(JSON.stringify(smaller))
}

function* smallerValues(value: unknown, depth: number): Generator<unknown> {
  if (depth > 4) return
  if (typeof value === 'string' && value.length > 1) yield value.slice(0, Math.ceil(value.length / 2))
  if (typeof value !== 'object' || value === null) return
  const entries = Object.entries(value)
  const made = (rest: [string, unknown][]): unknown =>
    Array.isArray(value) ? rest.map(([, item]) => item) : Object.fromEntries(rest)
  for (let at = 0; at < entries.length; at++) yield made(entries.toSpliced(at, 1))
  for (let at = 0; at < entries.length; at++) {
    const [name, member] = entries[at] as [string, unknown]
    for (const smaller of smallerValues(member, depth + 1)) yield made(entries.with(at, [name, smaller]))
  }
}
