// The only way out for events: a connector that dials nothing but addresses it has checked itself.
// It stands at the connection, not before it, because a name may answer differently the second time it is asked.

import { Resolver } from 'node:dns/promises'
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { isLocalhostName } from '../../../platform/values/business-url.ts'
import { type NetworkAddress, readAddress } from '../../../platform/values/network-address.ts'
import { acceptContinue } from './interim-answers.ts'

/** All addresses of a host name, best first. Rejects, or gives none, when the name does not resolve. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/** The host is, or resolves to, an address we do not connect to. The message is for the operator; it names no address. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'

  constructor(message: string) {
    super(message)
    this.name = 'AddressRefused'
  }
}

/** The host name has no address. The message is for the operator; it names no host and no name server. */
export class LookupFailed extends Error {
  readonly code = 'LOOKUP_FAILED'

  constructor(cause: unknown) {
    super('The host name could not be resolved.', { cause })
    this.name = 'LookupFailed'
  }
}

export type GuardOptions = {
  /** Sandbox mode: loopback may be dialled too, by https or http. Nothing else that is not public ever is. */
  allowLoopback: boolean
  lookup: Lookup
  /** Bounds the lookup, and then each address tried; there undici's timer may be a second late. */
  connectTimeoutMs: number
  /** Opens the connection to `hostname`, always a checked literal here. Undici's own unless given. */
  dial?: buildConnector.connector
}

// A host with more broken addresses than this is down, and each may cost a whole connect time-out.
const addressesTriedMax = 3

/** A connector for undici. It calls back with an `AddressRefused`, a `LookupFailed` or the error of the first dial. */
export function guardedConnector(options: GuardOptions): buildConnector.connector {
  const { dial = buildConnector({ allowH2: false, timeout: options.connectTimeoutMs }) } = options
  return (target, callback) => {
    connectChecked(target, options, dial).then(
      (socket) => callback(null, acceptContinue(socket)),
      (error: unknown) => callback(error instanceof Error ? error : new Error('connect failed'), null),
    )
  }
}

async function connectChecked(
  target: buildConnector.Options,
  options: GuardOptions,
  dial: buildConnector.connector,
): Promise<Socket> {
  const literal = readAddress(target.hostname)
  const addresses = literal === null ? await resolve(target.hostname, options) : [literal]
  for (const address of addresses) refuseUnlessAllowed(address, target.protocol, options)
  // The certificate is checked against this name; a literal has none, and is checked by its address.
  const servername = literal === null ? target.hostname : ''
  let firstError: unknown
  for (const address of addresses.slice(0, addressesTriedMax)) {
    try {
      const socket = await dialOne(dial, { ...target, hostname: address.text, servername })
      return checkPeer(socket, address)
    } catch (error) {
      if (!isUnreachable(error)) throw error
      firstError ??= error
    }
  }
  throw firstError
}

const unreachableCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Worth trying the next address. A host that answers with a bad certificate is not. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unreachableCodes.has(error.code)
}

async function resolve(hostname: string, { lookup, connectTimeoutMs }: GuardOptions): Promise<NetworkAddress[]> {
  const texts = await withDeadline(lookup(hostname), connectTimeoutMs).catch((error: unknown) => {
    throw new LookupFailed(error)
  })
  if (texts.length === 0) throw new LookupFailed(undefined)
  return texts.map((text) => {
    const address = readAddress(text)
    if (address === null) throw new AddressRefused('The host resolves to something that is not an address.')
    return address
  })
}

function refuseUnlessAllowed(address: NetworkAddress, protocol: string, { allowLoopback }: GuardOptions): void {
  if (address.scope === 'loopback' && allowLoopback) return
  if (address.scope !== 'public') {
    throw new AddressRefused('The host is, or resolves to, an address outside the public internet.')
  }
  // Events carry payment data: without TLS they stay on this machine, whatever address was stored in an earlier mode.
  if (protocol !== 'https:') throw new AddressRefused('Plain http goes to loopback addresses only.')
}

function dialOne(dial: buildConnector.connector, target: buildConnector.Options): Promise<Socket> {
  const { servername, ...rest } = target
  return new Promise((resolve, reject) => {
    // Undici takes a server name on plain http for a request to go through it; so it is given for TLS only.
    dial(target.protocol === 'https:' && servername ? target : rest, (error, socket) => {
      if (error === null) resolve(socket)
      else reject(error)
    })
  })
}

/** The socket must be connected to the address that was checked: nothing between the check and here may differ. */
function checkPeer(socket: Socket, dialled: NetworkAddress): Socket {
  const peer = readAddress(socket.remoteAddress ?? '')
  if (peer?.text === dialled.text) return socket
  socket.destroy()
  throw new AddressRefused('The connection reached another address than the one that was checked.')
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('lookup timed out')), timeoutMs)
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}

export type DnsOptions = {
  /** `address:port` of the name servers; the system's unless given. */
  servers?: readonly string[]
  /** Of the first try. The second, and last, gets twice as long. */
  timeoutMs?: number
}

/**
 * A lookup that asks the name servers without the thread pool. `dns.lookup` would hold one of its four threads for as
 * long as a customer's name server likes to be silent, and those threads also verify the provider's signatures.
 * The hosts file is not read: what stands there is not public.
 */
export function dnsLookup({ servers, timeoutMs = 1_500 }: DnsOptions = {}): Lookup {
  return async (hostname) => {
    if (isLocalhostName(hostname)) return ['127.0.0.1', '::1']
    // A new one each time (24 µs): a resolver reads the system's configuration only when it is made.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    // IPv4 first: where this machine has no IPv6, dialling it fails at once, but not every network says so.
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0 || answers[0].status === 'fulfilled') return addresses
    throw answers[0].reason
  }
}
