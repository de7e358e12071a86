// The receivers of the chaos run, a process of its own: most answers are 200, some a failure of every kind. Each arrival
// and each answer is a line of its log, in the order in which they happened.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Chance, chanceOf } from '../rig/chance.ts'
import { endWithParent, say } from '../rig/line-process.ts'

/** `arrived`: read completely. `answered`: with a 2xx, on a connection that was open then. */
export type ReceiverLine = {
  what: 'arrived' | 'answered'
  endpoint: string
  eventId: string
  endUser: string
  /** The event's place among those of its end-user, from 0; null of an event that the load did not send. */
  place: number | null
  sequence: number
  /** Milliseconds since 1970. */
  atMs: number
}

/** So that each delivery ends while the run lasts. */
const failuresMax = 3
const slowMs = 200

/** Of a thousand answers. */
const mix = { refuse: 30, reset: 15, hang: 8, slow: 30 } as const
type Conduct = keyof typeof mix | 'accept'

function conductOf(chance: Chance): Conduct {
  let drawn = chance.below(1_000)
  for (const [conduct, share] of Object.entries(mix) as [Conduct, number][]) {
    if (drawn < share) return conduct
    drawn -= share
  }
  return 'accept'
}

/** @param isCalm every answer is a 200 */
function main(seed: number, isCalm: boolean): void {
  const chance = chanceOf(seed, 0)
  const failures = new Map<string, number>()

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const line = await lineOf(request)
    say({ what: 'arrived', ...line, atMs: Date.now() })
    const delivery = `${line.endpoint} ${line.eventId}`
    const failed = failures.get(delivery) ?? 0
    const drawn = isCalm ? 'accept' : conductOf(chance)
    const conduct = failed < failuresMax || drawn === 'slow' ? drawn : 'accept'
    if (conduct === 'refuse' || conduct === 'reset' || conduct === 'hang') {
      failures.set(delivery, failed + 1)
      if (conduct === 'refuse') response.writeHead(500).end()
      else if (conduct === 'reset') request.socket.resetAndDestroy()
      return // silence, until the sender goes
    }
    if (conduct === 'slow') await delay(slowMs)
    if (request.socket.destroyed) return
    say({ what: 'answered', ...line, atMs: Date.now() })
    response.writeHead(200).end()
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    receive(request, response).catch(() => request.socket.destroy())
  })
  server.on('connection', (socket) => socket.on('error', () => {})) // senders are killed
  server.listen(0, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }))
}

async function lineOf(request: IncomingMessage): Promise<Omit<ReceiverLine, 'what' | 'atMs'>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
  return {
    endpoint: request.url?.slice(1) ?? '',
    eventId: String(body['event_id']),
    endUser: String(body['external_user_id']),
    place: typeof body['place'] === 'number' ? body['place'] : null,
    sequence: Number(request.headers['svc-sequence']),
  }
}

endWithParent()
main(Number(process.argv[2]), process.argv[3] === 'calm')
