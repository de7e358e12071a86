// Faults on demand: answers that go wrong in a chosen way for the next matching requests. They live in memory only.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidParameters, refuse, unexpectedBody } from '../platform/errors.ts'
import { integer, object, oneOf, parse, text, textOf } from '../platform/fields.ts'
import { newId } from '../platform/ids.ts'

const faultModes = ['status', 'refuse', 'delay', 'cut_before', 'cut_after', 'garbage', 'hang'] as const

export type FaultMode = (typeof faultModes)[number]

/** The provider's refusals that name no field: code → status and message. */
const refusals: Readonly<Record<string, { status: number; message: string }>> = {
  not_allowed: { status: 403, message: 'This feature is not enabled for your account' },
  frozen: { status: 400, message: 'This customer is frozen' },
  duplicate_record: { status: 400, message: 'A record with these parameters already exists' },
  resource_state_conflict: { status: 409, message: 'The resource is being changed, please try again' },
  unprocessable_entity: { status: 422, message: 'The request could not be processed' },
  developer_limits_exceeded: { status: 403, message: 'A limit of your account is exceeded' },
  Invalid: { status: 404, message: 'Unknown customer id' },
}

export type Fault = {
  id: string
  method: string | null
  /** A regular expression over the path, e.g. `^/v0/customers$`. */
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
  /** The first fault that applies to this request; uses up one of its times. */
  take(method: string, path: string): Fault | undefined
}

const faultsMax = 100
const delayMsMax = 10 * 60 * 1000

const order = object(
  {
    method: oneOf(['GET', 'POST', 'PUT', 'DELETE']),
    path: text(1, 256),
    mode: oneOf(faultModes),
    code: oneOf(Object.keys(refusals)),
    times: integer(1, 1_000_000),
    status: integer(200, 599),
    delay_ms: integer(0, delayMsMax),
  },
  ['path', 'mode'],
)

export const createFaults = (): Faults => {
  const faults = new Map<string, Fault & { pattern: RegExp }>()
  const shown = ({ pattern: _, ...fault }: Fault & { pattern: RegExp }): Fault => fault
  return {
    add: (body) => {
      const given = parse(order, body)
      if (faults.size >= faultsMax) throw refuse(409, 'too_many_faults', `There may be ${faultsMax} faults at most`)
      const path = textOf(given, 'path') ?? ''
      const mode = faultModes.find((known) => known === given['mode']) ?? 'status'
      const code = textOf(given, 'code')
      const refusal = code === undefined ? undefined : refusals[code]
      if ((mode === 'refuse') !== (refusal !== undefined)) {
        throw invalidParameters('body', { code: 'goes with the mode refuse, which needs one' })
      }
      const fault = {
        id: newId(),
        method: textOf(given, 'method') ?? null,
        path,
        pattern: patternOf(path),
        mode,
        status: refusal?.status ?? Number(given['status'] ?? 500),
        body: refusal ? { code, message: refusal.message } : given['body'],
        delay_ms: Number(given['delay_ms'] ?? 1_000),
        times_left: Number(given['times'] ?? 1),
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

/** Puts the faults in front of every route but the control's own. */
export const installFaults = (app: FastifyInstance, faults: Faults): void => {
  const cutAfter = new WeakSet<FastifyRequest>()

  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.url.split('?')
    const fault = path.startsWith('/_sandbox') ? undefined : faults.take(request.method, path)
    if (fault?.mode === 'cut_after') cutAfter.add(request)
    else if (fault) await play(fault, request, reply)
  })
  // The work is done and the answer stored by now; the client only never learns.
  app.addHook('onSend', async (request, _reply, payload) => {
    if (cutAfter.has(request)) request.raw.socket.destroy()
    return payload
  })
}

const play = async (fault: Fault, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  switch (fault.mode) {
    case 'delay':
      await sleep(fault.delay_ms, undefined, { ref: false })
      return
    case 'status':
    case 'refuse':
      await reply.code(fault.status).send(fault.body ?? defaultBody(fault.status))
      return
    case 'garbage':
      await reply.code(200).type('text/html').send('<html><body>502 Bad Gateway</body>')
      return
    case 'cut_before':
      reply.hijack()
      request.raw.socket.destroy()
      return
    default:
      // A request that hangs is answered by nobody; closing the listener ends it.
      reply.hijack()
  }
}

const defaultBody = (status: number): unknown =>
  status === 500 ? unexpectedBody : { code: 'unexpected', message: `Fault on demand: status ${status}` }
