// A load balancer of the plainest kind, as a client: round robin over the replicas that `/readyz` calls ready, connections
// kept open until an answer says `Connection: close`, and another try only where the first cannot have done anything.

import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string }

/** What became of one try. `retryable`: the answer says so, or the connection was refused before anything was sent. */
export type Try = { kind: 'answer'; answer: Answer } | { kind: 'retryable' } | { kind: 'failed'; why: string }

export type Call = { method: string; path: string; headers: Readonly<Record<string, string>>; body?: string }

export type Sent = { outcome: Answer | { failed: string }; tries: number }

export type Balancer = AsyncDisposable & {
  add(url: string): Promise<void>
  /** Once the replica is gone. */
  remove(url: string): void
  send(call: Call): Promise<Sent>
}

const checkMs = 100
const readyMsMax = 20_000
const triesMax = 20
const retryMs = 50
const answerMsMax = 20_000

type Replica = { url: string; agent: Agent; isReady: boolean }

export function openBalancer(): Balancer {
  const replicas: Replica[] = []
  let turn = 0
  let isOver = false

  const check = async (): Promise<void> => {
    while (!isOver) {
      await Promise.all(replicas.map(async (replica) => (replica.isReady = await isReady(replica.url))))
      await delay(checkMs)
    }
  }
  const checking = check()

  const next = (): Replica | undefined => {
    const ready = replicas.filter((replica) => replica.isReady)
    turn += 1
    return ready[turn % ready.length]
  }

  const remove = (url: string): void => {
    const at = replicas.findIndex((replica) => replica.url === url)
    if (at >= 0) for (const { agent } of replicas.splice(at, 1)) agent.destroy()
  }

  return {
    async add(url) {
      const deadline = performance.now() + readyMsMax
      while (!(await isReady(url))) {
        if (performance.now() > deadline) throw new Error('a replica did not become ready')
        await delay(checkMs)
      }
      replicas.push({ url, agent: new Agent({ keepAlive: true, maxSockets: 64 }), isReady: true })
    },
    remove,
    async send(call) {
      for (let tries = 1; ; tries++) {
        const replica = next()
        const tried: Try = replica ? await tryOnce(replica.url, replica.agent, call) : { kind: 'retryable' }
        if (tried.kind === 'answer') return { outcome: tried.answer, tries }
        if (tried.kind === 'failed') return { outcome: { failed: tried.why }, tries }
        if (tries === triesMax) return { outcome: { failed: 'no replica took it' }, tries }
        await delay(retryMs)
      }
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      await checking
      for (const { url } of [...replicas]) remove(url)
    },
  }
}

/** A check of its own connection, as load balancers do. */
async function isReady(url: string): Promise<boolean> {
  const tried = await tryOnce(url, new Agent({ keepAlive: false }), { method: 'GET', path: '/readyz', headers: {} })
  return tried.kind === 'answer' && tried.answer.status === 200
}

export function tryOnce(url: string, agent: Agent, { method, path, headers, body }: Call): Promise<Try> {
  return new Promise((resolve) => {
    let isConnected = false
    const fail = (error: NodeJS.ErrnoException) => {
      const isRefused = !isConnected && error.code === 'ECONNREFUSED'
      resolve(
        isRefused
          ? { kind: 'retryable' }
          : { kind: 'failed', why: `${method} ${path}: ${error.code ?? error.message}` },
      )
    }
    const sending = request(`${url}${path}`, { method, agent, headers, timeout: answerMsMax }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        const status = response.statusCode ?? 0
        const text = Buffer.concat(chunks).toString()
        resolve(judge(`${method} ${path}`, { status, headers: response.headers, body: text }))
      })
    })
    sending.on('socket', (socket) => {
      isConnected = !socket.connecting
      if (isConnected) return
      socket.once('connect', () => {
        isConnected = true
      })
    })
    sending.on('timeout', () => sending.destroy(new Error('no answer in time')))
    sending.on('error', fail)
    sending.end(body)
  })
}

function judge(what: string, answer: Answer): Try {
  if (answer.status < 400) return { kind: 'answer', answer }
  const saysSo = answer.status === 503 && answer.headers['retry-after'] !== undefined && isRetryable(answer.body)
  return saysSo
    ? { kind: 'retryable' }
    : { kind: 'failed', why: `${what}: ${answer.status} ${answer.body.slice(0, 200)}` }
}

function isRetryable(body: string): boolean {
  try {
    return (JSON.parse(body) as { error?: { retryable?: boolean } }).error?.retryable === true
  } catch {
    return false
  }
}
