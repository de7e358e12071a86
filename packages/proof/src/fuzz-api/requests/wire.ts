// Requests as they go over the wire: any path, any headers, any bytes, where a client library would put them right.

import { Agent, request } from 'node:http'
import type { Answer } from '../../../../server/test/caller.ts'

export type Sent = {
  method: string
  /** With its query, as it stands in the request line. */
  path: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer | null
  /** Without a Content-Length. */
  chunked: boolean
}

export type Wire = { send(sent: Sent): Promise<Answer>; close(): void }

const answerMsMax = 45_000

export function openWire(baseUrl: string): Wire {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const { hostname, port, host } = new URL(baseUrl)
  return {
    send: (sent) =>
      new Promise((resolve, reject) => {
        const headers = [['host', host], ...sent.headers, ...framing(sent)].flat()
        const signal = AbortSignal.timeout(answerMsMax)
        const out = request({ agent, hostname, port, method: sent.method, path: sent.path, headers, signal })
        out.on('error', reject)
        out.on('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8')
            const headers = new Headers()
            const raw = response.rawHeaders
            for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '')
            resolve({ status: response.statusCode ?? 0, headers, body: parsed(text), text })
          })
        })
        out.end(sent.body ?? undefined)
      }),
    close: () => agent.destroy(),
  }
}

function framing({ method, body, chunked }: Sent): [string, string][] {
  // Without it, Node sends an empty body in chunks for some methods.
  if (body === null) return method === 'GET' || method === 'HEAD' ? [] : [['content-length', '0']]
  return [chunked ? ['transfer-encoding', 'chunked'] : ['content-length', String(body.length)]]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a header may hold at all; the rest is for raw sockets. */
export function headerText(text: string): string {
  return Buffer.from(text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'), 'latin1').toString('latin1')
}

/** What a request line may hold at all. */
export function pathText(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character.toWellFormed()))
}

const shownBytesMax = 2_000

/** For a shell, against a server of one's own. Credentials are named, not shown. */
export function asCurl({ method, path, headers, body, chunked }: Sent): string {
  const parts = [`curl -sS -i --path-as-is -X ${method} "$BASE_URL"${quoted(path)}`]
  for (const [name, value] of headers) parts.push(`-H ${quoted(`${name}: ${shownValue(name, value)}`)}`)
  if (chunked) parts.push(`-H 'Transfer-Encoding: chunked'`)
  if (body === null) return parts.join(' ')
  const more = body.length > shownBytesMax ? ` # and ${body.length - shownBytesMax} bytes more` : ''
  return `printf %b ${escaped(body.subarray(0, shownBytesMax))} | ${parts.join(' ')} --data-binary @-${more}`
}

const shownValue = (name: string, value: string): string =>
  name === 'authorization' && value.startsWith('Bearer ') ? 'Bearer …' : value

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function escaped(bytes: Buffer): string {
  let text = ''
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
    text += plain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`
  }
  return `'${text}'`
}
