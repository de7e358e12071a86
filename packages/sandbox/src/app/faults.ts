// Faults on demand: the next matching requests fail in a chosen way. Faults are kept in memory only.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidParameters, refuse } from '../platform/errors.ts'
import { integer, object, oneOf, parse, type Rule, text } from '../platform/fields.ts'
import { newId } from '../platform/ids.ts'

export const faultModes = [
  'status',
  'refuse',
  'delay',
  'cut_before',
  'cut_after',
  'unreadable',
  'garbage',
  'hang',
] as const

type FaultMode = (typeof faultModes)[number]

type Fault = {
  id: string
  method: string | null
  /** A regular expression over the path, e.g. `/customers$`. */
  path: string
  mode: FaultMode
  status: number
  body: unknown
  delay_ms: number
  times_left: number
  hits: number
}

export type Faults = {
  add(order: unknown): Fault
  list(): Fault[]
  clear(): void
  /** Returns the first fault that applies to this request, and counts the hit. */
  take(method: string, path: string): Fault | undefined
}

const faultsMax = 100
const delayMsMax = 10 * 60 * 1000

const anyJson: Rule<unknown> = (value) => value

const orderOf = (codes: string[]) =>
  object(
    {
      method: oneOf(['GET', 'POST', 'PUT', 'DELETE']),
      path: text(1, 256),
      mode: oneOf(faultModes),
      code: oneOf(codes),
      times: integer(1, 1_000_000),
      status: integer(200, 599),
      delay_ms: integer(0, delayMsMax),
      body: anyJson,
    },
    ['path', 'mode'],
  )

/** The refusals of a provider that a fault may order, by code. */
export type Refusals = Readonly<Record<string, { status: number; message: string }>>

export const createFaults = (refusals: Refusals): Faults => {
  const order = orderOf(Object.keys(refusals))
  const faults = new Map<string, Fault & { pattern: RegExp }>()
  const shown = ({ pattern: _, ...fault }: Fault & { pattern: RegExp }): Fault => fault
  return {
    add: (body) => {
      const { method, path, mode, code, times = 1, status = 500, delay_ms = 1_000, ...given } = parse(order, body)
      if (faults.size >= faultsMax) throw refuse(409, 'too_many_faults', `At most ${faultsMax} faults are allowed`)
      const refusal = code === undefined ? undefined : refusals[code]
      if ((mode === 'refuse') !== (refusal !== undefined)) {
        throw invalidParameters('body', { code: 'goes with the mode refuse, which needs one' })
      }
      const fault = {
        id: newId(),
        method: method ?? null,
        path,
        pattern: patternOf(path),
        mode,
        status: refusal?.status ?? status,
        body: refusal ? { code, message: refusal.message } : given.body,
        delay_ms,
        times_left: times,
        hits: 0,
      }
      faults.set(fault.id, fault)
      return shown(fault)
    },
    list: () => [...faults.values()].map(shown),
    clear: () => faults.clear(),
    take: (method, path) => {
      const fault = [...faults.values()].find(
        (known) => known.times_left > 0 && (known.method ?? method) === method && known.pattern.test(path),
      )
      if (!fault) return undefined
      fault.times_left -= 1
      fault.hits += 1
      return fault
    },
  }
}

const patternOf = (path: string): RegExp => {
  try {
    return new RegExp(path)
  } catch {
    throw refuse(400, 'invalid_path', 'path must be a regular expression')
  }
}

/**
 * Applies the faults to every route except the control commands.
 * @param unexpectedBody of the provider's 500
 */
export const installFaults = (app: FastifyInstance, faults: Faults, unexpectedBody: unknown): void => {
  const cutAfter = new WeakSet<FastifyRequest>()
  const unreadable = new WeakMap<FastifyRequest, Fault>()
  const defaultBody = (status: number): unknown =>
    status === 500 ? unexpectedBody : { code: 'unexpected', message: `Simulated error: status ${status}` }

  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.url.split('?')
    const fault = path.startsWith('/_sandbox') ? undefined : faults.take(request.method, path)
    if (fault?.mode === 'cut_after') cutAfter.add(request)
    else if (fault?.mode === 'unreadable') unreadable.set(request, fault)
    else if (fault) await play({ ...fault, body: fault.body ?? defaultBody(fault.status) }, request, reply)
  })
  // The work is done and its response is stored, but the client never receives the response.
  app.addHook('onSend', async (request, reply, payload) => {
    if (cutAfter.has(request)) request.raw.socket.destroy()
    const fault = unreadable.get(request)
    if (!fault || reply.statusCode > 299 || typeof payload !== 'string') return payload
    return JSON.stringify(fault.body ?? idsOf(JSON.parse(payload)))
  })
}

/** A response in which the objects have nothing but their IDs. */
const idsOf = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return answer.map(idsOf)
  if (answer === null || typeof answer !== 'object') return {}
  if ('id' in answer) return { id: answer.id }
  return 'data' in answer ? { data: idsOf(answer.data) } : {}
}

const play = async (fault: Fault, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  switch (fault.mode) {
    case 'delay':
      await sleep(fault.delay_ms, undefined, { ref: false })
      return
    case 'status':
    case 'refuse':
      await reply.code(fault.status).send(fault.body)
      return
    case 'garbage':
      await reply.code(200).type('text/html').send('<html><body>502 Bad Gateway</body>')
      return
    case 'cut_before':
      reply.hijack()
      request.raw.socket.destroy()
      return
    default:
      // A request that hangs never gets a response. Closing the listener ends it.
      reply.hijack()
  }
}
