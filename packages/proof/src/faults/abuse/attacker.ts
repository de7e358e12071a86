// The abusive caller, in a separate process with a low priority: it acts as another machine, and takes no processor time from
// the server. The process ends when its standard input closes, because its parent has ended.

import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { endWithParent, say } from '../../rig/line-process.ts'
import { lowerPriority } from '../../rig/measured/low-priority.ts'

/** The attacker's work until it is ended: requests of these kinds, this many at a time. */
export type Attack = {
  baseUrl: string
  key: string
  atOnce: number
  requestsMax: number
  /** Between the response to a request and the caller's next, on average: callers are not in step. */
  pauseMs: number
  requests: readonly AttackRequest[]
}
export type AttackRequest = { method: string; path: string; body: AttackBody | null; headers?: Record<string, string> }

/** Bodies are described and made here: the largest has 28 MiB. */
export type AttackBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'members'; count: number; name: string }
  | { kind: 'empty-arrays'; count: number }
  | { kind: 'filler'; bytes: number }

/** `code`: of an error. */
export type AttackerLine = { status: number; code: string | null }

function textOf(body: AttackBody, nth: number): string {
  if (body.kind === 'json') return JSON.stringify(body.value).replaceAll('$n', String(nth % 1_000))
  if (body.kind === 'filler') return JSON.stringify({ event_id: 'a', event_type: 'x', filler: 'x'.repeat(body.bytes) })
  if (body.kind === 'empty-arrays') return `{"documents":[${Array(body.count).fill('[]').join(',')}]}`
  return `{"first_name":"A",${Array.from({ length: body.count }, (_, at) => `"${body.name}${at}":1`).join(',')}}`
}

const attack = JSON.parse(process.argv[2] ?? '') as Attack
lowerPriority(process.pid)
endWithParent()
// A large body is made once; a small one may carry the number of its request.
const large = attack.requests.map(({ body }) => (body === null || body.kind === 'json' ? null : textOf(body, 0)))
say({ status: 0, code: null } satisfies AttackerLine)

const none: AttackerLine = { status: -1, code: null }
const agent = new Agent({ keepAlive: true })
const usualHeaders = { authorization: `Bearer ${attack.key}`, 'content-type': 'application/json' }

/**
 * Sends a request without a body. `fetch` would decompress the response, which costs more processor time than the server spends
 * on it.
 */
function ask({ method, path, headers = usualHeaders }: AttackRequest): Promise<AttackerLine> {
  return new Promise((resolve) => {
    const asked = httpRequest(
      `${attack.baseUrl}${path}`,
      { method, agent, headers: { 'accept-encoding': 'gzip', ...headers } },
      (response) =>
        response
          .resume()
          .once('close', () => resolve(response.complete ? { status: response.statusCode ?? -1, code: null } : none)),
    )
    asked.once('error', () => resolve(none))
    asked.end()
  })
}

function send({ method, path, headers = usualHeaders }: AttackRequest, body: string): Promise<AttackerLine> {
  return fetch(`${attack.baseUrl}${path}`, { method, headers, body }).then(
    async (response) => {
      const text = await response.text()
      return { status: response.status, code: /"code":"([a-z_]+)"/.exec(text)?.[1] ?? null }
    },
    () => none, // the server may end the connection before it has read the whole body
  )
}

let sent = 0
async function loop(): Promise<void> {
  while (sent < attack.requestsMax) {
    const nth = sent++
    const at = nth % attack.requests.length
    const request = attack.requests[at]
    if (!request) return
    const line = await (request.body === null ? ask(request) : send(request, large[at] ?? textOf(request.body, nth)))
    say(line)
    if (attack.pauseMs > 0) await delay(attack.pauseMs * (0.5 + Math.random()))
  }
}
await Promise.all(Array.from({ length: attack.atOnce }, loop))
