// The way of a request to a replica: by turns and blind to which ones run, or by a load balancer of the plainest kind.

import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Call, Replica, Sent, Settings } from '../world.ts'

type Target = Pick<Replica, 'name' | 'url'>

export type Route = AsyncDisposable & {
  /** `balancer`: resolves when the replica is ready. */
  add(replica: Target): Promise<void>
  /** Once the replica is gone. */
  remove(replica: Target): void
  /** Where the next connection goes. `balancer`: to a ready replica, if there is one. */
  nextUrl(): string
  send(call: Call, limitMs: number): Promise<Sent>
}

/** The discard port: nobody responds there. */
const nowhere = 'http://127.0.0.1:9'
const checkMs = 100
const checkMsMax = 20_000
const readyMsMax = 20_000
const triesMax = 20
const retryMs = 50
/** An idle connection is given up before the server closes it, after 65 s: a request on one that closes gets no response. */
const agentOptions = { keepAlive: true, maxSockets: 256, timeout: 50_000 } as const

type Member = Target & { agent: Agent; isReady: boolean }

export function openRoute(kind: 'blind' | 'balancer'): Route {
  const members: Member[] = []
  const over = new AbortController()
  let turn = 0

  const next = (): Member | undefined => {
    const able = kind === 'blind' ? members : members.filter(({ isReady }) => isReady)
    turn += 1
    return able[turn % able.length]
  }
  /** A replica that responds slowly delays the checks of no other: that one may be leaving. */
  const check = async (member: Member): Promise<void> => {
    while (members.includes(member) && !over.signal.aborted) {
      member.isReady = await isReady(member.url)
      await delay(checkMs, null, { signal: over.signal }).catch(() => {})
    }
  }
  const checks: Promise<void>[] = []

  const sendOnce = async (call: Call, deadline: number): Promise<Sent & { isRetryable: boolean }> => {
    const member = next()
    if (!member) return { status: null, headers: {}, text: '', replica: '', tries: 1, isRetryable: true }
    const answer = await ask(member, call, deadline - performance.now())
    return { ...answer, replica: member.name, tries: 1 }
  }
  return {
    async add(replica) {
      const deadline = performance.now() + readyMsMax
      while (kind === 'balancer' && !(await isReady(replica.url))) {
        if (performance.now() > deadline) throw new Error(`${replica.name} did not become ready`)
        await delay(checkMs)
      }
      const member = { ...replica, agent: new Agent(agentOptions), isReady: true }
      members.push(member)
      if (kind === 'balancer') checks.push(check(member))
    },
    remove(replica) {
      const at = members.findIndex(({ url }) => url === replica.url)
      if (at >= 0) for (const { agent } of members.splice(at, 1)) agent.destroy()
    },
    nextUrl: () => (next() ?? members[0])?.url ?? nowhere,
    async send(call, limitMs) {
      const deadline = performance.now() + limitMs
      for (let tries = 1; ; tries++) {
        const { isRetryable, ...sent } = await sendOnce(call, deadline)
        const isLast = tries === triesMax || performance.now() + retryMs > deadline
        if (kind === 'blind' || !isRetryable || isLast) return { ...sent, tries }
        await delay(retryMs)
      }
    },
    async [Symbol.asyncDispose]() {
      over.abort()
      await Promise.all(checks)
      for (const { agent } of members) agent.destroy()
    },
  }
}

/** A check on a separate connection, as load balancers do. */
async function isReady(url: string): Promise<boolean> {
  const check = { agent: new Agent({ keepAlive: false }), url }
  return (await ask(check, { method: 'GET', path: '/readyz' }, checkMsMax)).status === 200
}

type Asked = Pick<Sent, 'status' | 'headers' | 'text'> & {
  /** The response says so, or the connection was refused before anything was sent. */
  isRetryable: boolean
}

function ask({ url, agent }: { url: string; agent: Agent }, call: Call, limitMs: number): Promise<Asked> {
  const { promise, resolve } = Promise.withResolvers<Asked>()
  const { method, path, headers = {}, body } = call
  const fail = ({ code }: NodeJS.ErrnoException): void =>
    resolve({ status: null, headers: {}, text: '', isRetryable: code === 'ECONNREFUSED' })
  const sending = request(`${url}${path}`, { method, agent, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', fail)
    response.on('end', () => {
      const status = response.statusCode ?? 0
      const given = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
      const answer = { status, headers: Object.fromEntries(given), text: Buffer.concat(chunks).toString() }
      resolve({ ...answer, isRetryable: saysRetry(answer) })
    })
  })
  const limit = setTimeout(() => sending.destroy(new Error('no response in time')), Math.max(0, limitMs))
  sending.on('error', fail)
  sending.on('close', () => clearTimeout(limit))
  sending.end(body)
  return promise
}

function saysRetry({ status, headers, text }: { status: number; headers: Settings; text: string }): boolean {
  if (status !== 503 || headers['retry-after'] === undefined) return false
  try {
    return (JSON.parse(text) as { error?: { retryable?: boolean } }).error?.retryable === true
  } catch {
    return false
  }
}
