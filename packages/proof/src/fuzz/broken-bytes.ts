// Bodies that no HTTP client sends: no UTF-8, no JSON, nested too deep, above a limit, packed, and mislabelled. Each kind goes
// to operations at random, and has to get the error that is meant for it.

import { gzipSync } from 'node:zlib'
import { idImage } from '../../../cli/src/demo/image.ts'
import type { ErrorCode } from '../../../server/src/platform/errors.ts'
import { type BodyLimits, jsonDepthMax, kycBody, ordinaryBody } from '../../../server/src/platform/http/limits.ts'
import { type Answer, assertDeclared, type Operation, operations } from '../../../server/test/caller.ts'
import { pathOf } from '../../../server/test/http/operation-matrix.ts'
import { type Chance, chanceOf } from '../rig/chance.ts'
import { echoIn, freshIdentityMark, freshMark } from './marks.ts'
import { multipartBodies } from './multipart.ts'
import { factsOf, type Walked } from './walk.ts'
import type { FuzzWorld } from './world.ts'

type Broken = { body: Buffer | string; headers?: Record<string, string>; codes: readonly ErrorCode[] | null }

const json = 'application/json'
const takers = operations.filter(({ body, auth }) => body !== null && auth !== 'none')

/** @param rounds how often each kind is sent. @returns the number of requests, and the faults */
export async function sendBrokenBytes(
  world: FuzzWorld,
  [own, foreign]: readonly [Walked, Walked],
  { rounds, seed, signal }: { rounds: number; seed: number; signal: AbortSignal },
): Promise<{ sent: number; faults: string[] }> {
  const chance = chanceOf(seed, 1)
  const { bodies } = factsOf(own, foreign)
  const faults: string[] = []
  let sent = 0
  for (const kind of Array.from({ length: rounds }, () => Object.keys(kindsOf('{}', '', ordinaryBody))).flat()) {
    const operation = kind.startsWith('multipart') ? submitKyc : chance.pick(takers)
    const mark = operation === submitKyc ? freshIdentityMark() : freshMark()
    // No identity mark in the mail address: the provider puts it into its links.
    const whole = JSON.stringify(bodies[operation.id as keyof typeof bodies]).replaceAll('{fresh}', freshMark())
    const broken = kindsOf(whole, mark, operation === submitKyc ? kycBody : ordinaryBody)[kind]?.(chance)
    if (!broken) throw new Error(`no kind ${kind}`)
    const key = operation.auth === 'operator' ? world.facts.adminSecret : own.business.apiKey
    const url = world.facts.baseUrl + pathOf(operation, own.names)
    const fault = await send(operation, url, key, broken, signal).catch(String)
    if (fault !== null) faults.push(`${kind} to ${operation.id}: ${fault}`)
    sent += 1
  }
  return { sent, faults }
}

// Also of a body that takes long to parse.
const answerMsMax = 20_000

async function send(
  operation: Operation,
  url: string,
  key: string,
  { body, headers, codes }: Broken,
  signal: AbortSignal,
): Promise<string | null> {
  const bytes = Buffer.from(body)
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }
  const response = await fetch(url, {
    method: operation.method,
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
    headers: { authorization: `Bearer ${key}`, 'content-type': json, ...headers },
    body: pieces(), // without a Content-Length, by which a body would be refused unread
    duplex: 'half',
  } as RequestInit)
  const text = await response.text()
  const answer: Answer = { status: response.status, headers: response.headers, body: JSON.parse(text), text }
  return faultOf(operation, answer, codes)
}

export function faultOf(operation: Operation, answer: Answer, codes: readonly ErrorCode[] | null): string | null {
  const { status, headers, body, text } = answer
  const said = `${status} ${text.slice(0, 300)}`
  if (codes && !codes.includes(body?.error?.code)) return `${said}, not ${codes.join(' or ')}`
  const echoed = echoIn(`${[...headers].join('\n')}\n${text}`, status >= 400 ? 'anything' : 'identity')
  if (echoed) return `${status} repeats ${echoed}`
  try {
    assertDeclared(operation, answer)
  } catch (error) {
    return `${said}: ${String(error).slice(0, 600)}`
  }
  return null
}

const submitKyc = takers.find(({ id }) => id === 'submitKyc') as Operation

const otherTypes = [
  ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/octet-stream', 'text/json'],
  ...['application/jsonx', '@', '@/@', '/', ';', 'application/ json', 'application/json, text/plain'],
] as const

/** @param whole a body that the operation takes. `codes: null`: it may be taken, because a reader may put it right. */
function kindsOf(whole: string, mark: string, limits: BodyLimits): Record<string, (chance: Chance) => Broken> {
  const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const as = (codes: readonly ErrorCode[] | null) => (body: Buffer | string) => (): Broken => ({ body, codes })
  const [noJson, tooDeep, tooLarge] = [as(['invalid_json']), as(['json_too_deep']), as(['payload_too_large'])]
  const [noObject, open] = [as(['body_required', 'invalid_type']), as(null)]
  const deep = (levels: number) => `{"a":${'['.repeat(levels)}"${mark}"${']'.repeat(levels)}}`
  const long = (length: number, start = '') => `{"a":"${start}${mark}`.padEnd(length - 2, 'x').concat('"}')
  const crowd = (members: number) =>
    `{"name":"${mark}"${Array.from({ length: members - 1 }, (_, at) => `,"name${at}":1`).join('')}}`
  return {
    'cut short': noJson(whole.slice(0, -1)),
    'more behind it': noJson(whole + mark),
    'no UTF-8': noJson(bytes(`{"a":"${mark}","b":"`, [0xff, 0xfe], '"}')),
    'a surrogate in UTF-8': noJson(bytes(`{"a":"`, [0xed, 0xa0, 0x80], `${mark}"}`)),
    'UTF-16': noJson(Buffer.from(whole, 'utf16le')),
    'single quotes': noJson(`{'${mark}':1}`),
    'a comma too many': noJson(`{"${mark}":1,}`),
    'a comment': noJson(`//${mark}\n{}`),
    'a bare word': noJson(`{"a":${mark}}`),
    'a control character': noJson(`{"a":"${mark}\u0001"}`),
    'a number without an end': noJson(`{"a":1e}`),
    'one level too deep': tooDeep(deep(jsonDepthMax)),
    'a hundred levels': tooDeep(deep(100)),
    'levels without an end': tooDeep('['.repeat(100_000)),
    'objects in objects': tooDeep(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
    'as deep as allowed': open(deep(jsonDepthMax - 1)),
    'a text': noObject(`"${mark}"`),
    null: noObject('null'),
    'a list': noObject(`["${mark}"]`),
    'another type': (chance) => {
      const type = chance.pick(otherTypes).replaceAll('@', mark)
      return { body: whole, headers: { 'content-type': type }, codes: ['unsupported_media_type'] }
    },
    packed: () => ({
      body: gzipSync(whole),
      headers: { 'content-encoding': 'gzip' },
      codes: ['unsupported_media_type', 'invalid_json'],
    }),
    'a byte too many': tooLarge(long(limits.plainBytesMax + 1)),
    'a byte too many of all': () => tooLarge(long(limits.bytesMax + 1, 'data:'))(),
    'a member too many': as(['too_many_members'])(crowd(limits.membersMax + 1)),
    'as many members as allowed': open(crowd(limits.membersMax)),
    'a prototype': as(['invalid_json', 'unknown_field'])(`{"__proto__":{"admin":"${mark}"}}`),
    'a constructor': open(whole.replace(/^\{/, `{"constructor":{"prototype":{"a":"${mark}"}},`)),
    'one name twice': open(whole.replace(/^\{/, `{"externalUserId":1,"externalUserId":"${mark}",`)),
    'a byte order mark': open(bytes([0xef, 0xbb, 0xbf], whole)),
    'blanks around it': open(`  \n${whole}\t `),
    ...multipartBodies(whole, mark, idImage()),
  }
}
