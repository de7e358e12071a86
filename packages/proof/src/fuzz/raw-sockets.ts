// Bytes that no HTTP client would send: the server returns 400, 408, 413 or 431, or closes, and continues.

import { connect } from 'node:net'
import hostileTexts from './hostile-texts.json' with { type: 'json' }
import { echoIn, freshMark } from './marks.ts'

const quietMsMax = 250
const atOnce = 8
const right = new Set([400, 401, 404, 405, 408, 413, 414, 415, 417, 431, 501, 505])

type Attempt = { bytes: Buffer; mayBe2xx: boolean }

/** @param apiKey a good one. @param rounds how often each attempt is made. @returns the number of connections, and the faults */
export async function attackRaw(
  port: number,
  apiKey: string,
  rounds: number,
): Promise<{ sent: number; faults: string[] }> {
  const open = Array.from({ length: rounds }, () => attempts(apiKey)).flat()
  const sent = open.length
  const faults: string[] = []
  const work = async (): Promise<void> => {
    for (let attempt = open.pop(); attempt; attempt = open.pop()) {
      const shown = JSON.stringify(attempt.bytes.subarray(0, 400).toString('latin1'))
      for (const fault of faultsIn(await exchange(port, attempt.bytes), attempt))
        faults.push(`${fault}\n  raw: ${shown}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { sent, faults }
}

export function faultsIn(heard: string, { mayBe2xx }: Pick<Attempt, 'mayBe2xx'>): string[] {
  const statuses = Array.from(heard.matchAll(/^HTTP\/1\.1 (\d{3}) /gm), ([, code]) => Number(code))
  const wrong = statuses.filter((status) => !right.has(status) && !(mayBe2xx && status < 300))
  const echoed = echoIn(heard)
  return [
    ...wrong.map((status) => `${status} to a malformed request: ${heard.slice(0, 300)}`),
    ...(heard === '' || heard.startsWith('HTTP/1.1 ') ? [] : [`no HTTP: ${heard.slice(0, 100)}`]),
    ...(echoed ? [`a malformed request is repeated: ${echoed}`] : []),
  ]
}

function attempts(apiKey: string): Attempt[] {
  const mark = freshMark()
  const bad = (text: string | Buffer): Attempt => ({ bytes: Buffer.from(text as string, 'latin1'), mayBe2xx: false })
  const fine = (text: string): Attempt => ({ bytes: Buffer.from(text, 'latin1'), mayBe2xx: true })
  const host = 'Host: x\r\n'
  const post = (headers: string, body = ''): string =>
    `POST /v0/end-users HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n${body}`
  return [
    bad(`${mark}\r\n\r\n`),
    bad(`GET /${mark}\r\n\r\n`),
    bad(`GET / HTTP/9.9\r\n${host}\r\n`),
    bad(`GET  /${mark}  HTTP/1.1\r\n${host}\r\n`),
    bad(`G\u0000T /${mark} HTTP/1.1\r\n${host}\r\n`),
    bad(`GET /\u0000${mark} HTTP/1.1\r\n${host}\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\n${host}${`Authorization: Bearer ${apiKey}\r\n`.repeat(2)}\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\nX ${mark}: y\r\n\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\n${mark}\r\n\r\n`),
    bad(`GET /v0/${mark} HTTP/1.1\r\n\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\n${host}X: ${mark}\u0000\r\n\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\n${host} folded: ${mark}\r\n\r\n`),
    bad(post(`Content-Length: -1\r\n`, mark)),
    bad(post(`Content-Length: ${mark}\r\n`, mark)),
    bad(post(`Content-Length: 99999999999999999999999\r\n`, mark)),
    bad(post(`Content-Length: 4\r\nContent-Length: 5\r\n`, mark)),
    bad(post(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${mark}`)),
    bad(post(`Transfer-Encoding: chunked, ${mark}\r\n`, mark)),
    bad(post('Transfer-Encoding: chunked\r\n', `${mark}\r\n`)),
    bad(post('Transfer-Encoding: chunked\r\n', `ffffffffffffffffff\r\n${mark}`)),
    bad(post('Transfer-Encoding: chunked\r\n', `5;${mark}=${'x'.repeat(20_000)}\r\n`)),
    bad(`GET /${'x'.repeat(20_000)}${mark} HTTP/1.1\r\n${host}\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\n${host}${`X-${mark}: y\r\n`.repeat(3_000)}\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\n${host}${'a:b\r\n'.repeat(1_900)}\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\n${host}X: ${mark.repeat(3_000)}\r\n\r\n`),
    bad(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${mark}`),
    bad(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])),
    ...['\r\n', '\u0000', '\u00ff'].map((text) => bad(text.repeat(5_000))),
    bad(`GET http://${mark}.example/v0/${mark} HTTP/1.1\r\n${host}\r\n`),
    bad(`CONNECT ${mark}:443 HTTP/1.1\r\n${host}\r\n`),
    bad(`OPTIONS * HTTP/1.1\r\n${host}X: ${mark}\r\n\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\nHost: ${mark}@x:y\r\n\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\nHost: a\r\nHost: ${mark} b\r\n\r\n`),
    bad(`GET /v0/whoami HTTP/1.1\r\n${host}Expect: ${mark}\r\n\r\n`),
    bad(
      `GET /v0/whoami HTTP/1.1\r\n${host}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: ${mark}\r\n\r\n`,
    ),
    ...hostileTexts.flatMap((text) => {
      const hostile = text.replaceAll('@', () => mark)
      return [bad(`GET /v0/none${hostile} HTTP/1.1\r\n${host}\r\n`), bad(`${hostile}\r\n${hostile}\r\n\r\n`)]
    }),
    fine(`GET /healthz HTTP/1.1\r\n${host}\r\n`.repeat(200)),
    fine(`GET /healthz HTTP/1.0\r\n\r\n`),
    fine(`GET /healthz HTTP/1.1\r\n${host}\r\n${mark}\r\n\r\n`),
    fine(`GET /healthz HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabcGET /${mark} HTTP/1.1\r\n${host}\r\n`),
  ]
}

/** Everything that came back until the server closed, or fell silent. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.setTimeout(quietMsMax, () => socket.destroy())
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
    })
    socket.on('error', () => {}) // a reset counts as a response
    socket.on('close', () => resolve(heard))
    socket.write(bytes)
  })
}
