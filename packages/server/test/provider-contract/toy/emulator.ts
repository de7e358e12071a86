// Tollgate's emulator, as small as the first stories allow: its wire under /api, its page of terms, and the control protocol that all
// emulators have. State is in memory.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { isJsonObject, type Json, type JsonObject } from '../../../src/platform/values/json.ts'

const token = 'tg-test-1'

type Folk = {
  no: number
  mail: string
  state: string
  given: JsonObject
  consented: boolean
  because: string[]
  changed: number
}
type Answer = { status: number; body: Json }
type Asked = { method: string; url: URL; headers: IncomingMessage['headers']; body: JsonObject }

const folks: Folk[] = []
/** Consents by the secret of their page; the agreement, once signed. */
const consents = new Map<string, string | null>()
/** The responses to writes, by their reference. */
const answers = new Map<string, { body: string; answer: Answer }>()

const ok = (result: Json): Answer => ({ status: 200, body: { ok: true, result } })
const no = (status: number, kind: string, what: string | null, say: string): Answer => ({
  status,
  body: { ok: false, why: { kind, what, say } },
})

// Wire ------------------------------------------------------------------------------------------------------------------

function wire(asked: Asked): Answer {
  const { method, url, headers, body } = asked
  if (headers['x-tollgate-token'] !== token) return no(401, 'WHO_ARE_YOU', null, 'Unknown token')
  const reference = headers['x-tollgate-ref']
  if (method !== 'POST') return act(asked)
  if (typeof reference !== 'string') return no(400, 'REF_MISSING', null, 'A write needs a reference')
  const known = answers.get(reference)
  const text = JSON.stringify([url.pathname, body])
  if (known) return known.body === text ? known.answer : no(409, 'REF_TAKEN', null, 'Used for another write')
  const answer = act(asked)
  answers.set(reference, { body: text, answer })
  return answer
}

function act({ method, url, body }: Asked): Answer {
  const [, , kind, number] = url.pathname.split('/')
  const folk = folks.find((one) => String(one.no) === number)
  if (kind === 'whoami') return ok({ merchant: 'm-1' })
  if (kind === 'consents') return ok({ page: `${url.origin}/consent/${newConsent()}` })
  if (kind !== 'folk' || (number !== undefined && !folk)) return no(404, 'NOBODY', null, 'No such folk')
  if (method === 'GET') return folk ? ok(shown(folk)) : ok(withMail(url.searchParams.get('mail')).map(shown))
  return saved(folk ?? null, body)
}

function newConsent(): string {
  const secret = randomUUID()
  consents.set(secret, null)
  return secret
}

const withMail = (mail: string | null) => folks.filter((folk) => folk.mail === mail)

const fields: readonly string[] = ['mail', 'name', 'born', 'home', 'consent', 'yours']

function saved(folk: Folk | null, body: JsonObject): Answer {
  const strange = Object.keys(body).find((field) => !fields.includes(field))
  if (strange !== undefined) return no(400, 'FIELD_UNKNOWN', strange, 'No such field')
  const { consent = null } = body
  if (consent !== null && ![...consents.values()].includes(String(consent)))
    return no(400, 'CONSENT_UNKNOWN', 'consent', 'Nobody has signed this')
  const mail = String(body['mail'] ?? folk?.mail).toLowerCase()
  if (folk === null && withMail(mail).length > 0) return no(409, 'MAIL_TAKEN', 'mail', 'We know this address')
  const entry = folk ?? { no: folks.length + 1, mail, state: '', given: {}, consented: false, because: [], changed: 0 }
  if (folk === null) folks.push(entry)
  entry.given = { ...entry.given, ...body }
  entry.consented ||= consent !== null
  moved(entry, lackOf(entry).length > 0 ? 'NEEDS' : 'CHECKING')
  return ok(shown(entry))
}

const lackOf = ({ given }: Folk): string[] =>
  Object.entries({ name: 'NAME', born: 'BORN', home: 'HOME' }).flatMap(([field, name]) => (given[field] ? [] : [name]))

function moved(folk: Folk, state: string): void {
  folk.state = state
  folk.changed = Math.floor(Date.now() / 1_000)
}

const shown = (folk: Folk): Json => {
  const { given, ...own } = folk
  return { ...own, yours: given['yours'] ?? null, lacks: lackOf(folk) }
}

// Control protocol ------------------------------------------------------------------------------------------------------

function control({ method, url, body }: Asked): Answer {
  const at = `${method} ${url.pathname}`
  if (at === 'GET /_sandbox/state') return { status: 200, body: { customers: { count: folks.length } } }
  if (at === 'POST /_sandbox/terms/accept') return accept(String(body['link']))
  const [, number] = /^POST \/_sandbox\/customers\/(\d+)\/kyc$/.exec(at) ?? []
  const folk = folks.find((one) => String(one.no) === number)
  if (!folk) return { status: 404, body: { code: 'unknown', message: 'No such customer or command' } }
  const states: Record<string, string> = { approve: 'OK', reject: 'NO', review: 'CHECKING' }
  moved(folk, states[String(body['decision'])] ?? folk.state)
  return { status: 200, body: shown(folk) }
}

function accept(link: string): Answer {
  const secret = link.split('/').at(-1) ?? ''
  if (!consents.has(secret)) return { status: 404, body: { code: 'unknown_link', message: 'No such page' } }
  const agreement = consents.get(secret) ?? `signed-${randomUUID()}`
  consents.set(secret, agreement)
  return { status: 200, body: { signed_agreement_id: agreement } }
}

// Process ---------------------------------------------------------------------------------------------------------------

const server = createServer(async (request, response) => {
  const given: unknown = Number(request.headers['content-length'] ?? 0) > 0 ? await json(request) : {}
  const url = new URL(request.url ?? '', `http://${request.headers.host}`)
  const asked = { method: request.method ?? '', url, headers: request.headers, body: isJsonObject(given) ? given : {} }
  const { status, body } = url.pathname.startsWith('/_sandbox/') ? control(asked) : wire(asked)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, apiKey: token }))
})
process.stdin.resume().once('end', () => process.exit())
