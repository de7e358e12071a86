// A name server on loopback that behaves like an attacker's: one response to the first question and another to the
// next, public and private addresses mixed, aliases, and broken messages (RFC 1035).

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { dnsLookup, type Lookup } from '../../src/platform/guarded-http/guarded-connect.ts'
import { ipv4Bits, ipv6Bits } from './special-addresses.ts'

export type Reply =
  | { a?: readonly string[]; aaaa?: readonly string[]; alias?: boolean }
  | 'nxdomain'
  | 'servfail'
  | 'truncated'
  | 'garbage'
  | 'foreign'

/** Replies to the first lookup of a name, the second, and so on; the last reply is repeated. */
export type Script = readonly [Reply, ...Reply[]]

export type NameServer = AsyncDisposable & {
  /** `address:port`, as resolvers take it. */
  address: string
  /** The product's lookup, asking here. @param timeoutMs of the resolver's first try */
  lookup(timeoutMs: number): Lookup
  /** A new name for this script, until `forget`. */
  publish(script: Script): string
  forget(name: string): void
}

const typeA = 1
const typeAaaa = 28
const typeCname = 5

/**
 * Lookups are counted, not questions: on a busy machine the resolver repeats a question, from another port and under another
 * id, and the next reply would be taken for the first. The second lookup of a name is what a guard must not make.
 */
type Entry = { script: Script; lookups: number }

export async function startNameServer(): Promise<NameServer> {
  const entries = new Map<string, Entry>()
  const socket = createSocket('udp4')
  let serial = 0
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    socket.send(messageFor(query.subarray(0, end), type, replyTo(entries.get(name))), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const server: NameServer = {
    address: `127.0.0.1:${socket.address().port}`,
    lookup(timeoutMs) {
      const ask = dnsLookup({ servers: [server.address], timeoutMs })
      return async (hostname) => {
        const entry = entries.get(hostname.toLowerCase().replace(/\.$/, ''))
        if (entry) entry.lookups += 1
        return await ask(hostname)
      }
    },
    publish(script) {
      serial += 1
      const name = `n${serial}.hook.example`
      entries.set(name, { script, lookups: 0 })
      return name
    },
    forget: (name) => void entries.delete(name),
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
  return server
}

function replyTo(entry: Entry | undefined): Reply {
  return entry?.script[entry.lookups - 1] ?? entry?.script.at(-1) ?? 'nxdomain'
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const name = labels.join('.').toLowerCase()
  return { name, type: query.readUInt16BE(at + 1), end: at + 5 }
}

const rcodes = { servfail: 2, nxdomain: 3 } as const
const flagsAnswer = 0x8180 // a response, recursion desired and available
const flagTruncated = 0x0200
const questionName = Buffer.from([0xc0, 0x0c]) // "as in the question"

function messageFor(question: Buffer, type: number, reply: Reply): Buffer {
  const say = (flags: number, records: readonly Buffer[]): Buffer => {
    const message = Buffer.concat([question, ...records])
    message.writeUInt16BE(flags, 2)
    message.writeUInt16BE(records.length, 6)
    message.writeUInt32BE(0, 8) // no authority, nothing additional
    return message
  }
  if (typeof reply === 'object') return say(flagsAnswer, recordsOf(type, reply))
  switch (reply) {
    case 'truncated':
      return say(flagsAnswer | flagTruncated, [])
    case 'garbage':
      return Buffer.concat([question.subarray(0, 2), Buffer.from('81800001ffff00000000c00c', 'hex')])
    case 'foreign': // an address, but of another name; the resolver takes it all the same
      return say(flagsAnswer, [record(wireName('other.example'), typeA, addressBytes('10.0.0.1'))])
    default:
      return say(flagsAnswer | rcodes[reply], [])
  }
}

function recordsOf(type: number, reply: Exclude<Reply, string>): Buffer[] {
  const addresses = (type === typeA ? reply.a : type === typeAaaa ? reply.aaaa : undefined) ?? []
  if (!reply.alias) return addresses.map((address) => record(questionName, type, addressBytes(address)))
  const target = wireName('alias.hook.example')
  return [record(questionName, typeCname, target), ...addresses.map((a) => record(target, type, addressBytes(a)))]
}

function record(name: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2) // IN
  fixed.writeUInt32BE(3_600, 4) // a cache that kept the response so long would miss the next one
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([name, fixed, data])
}

function addressBytes(address: string): Buffer {
  const isV6 = address.includes(':')
  const hex = (isV6 ? ipv6Bits(address) : ipv4Bits(address)).toString(16)
  return Buffer.from(hex.padStart(isV6 ? 32 : 8, '0'), 'hex')
}

function wireName(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.of(0),
  ])
}
