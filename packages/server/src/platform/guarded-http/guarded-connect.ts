// The only way out for events: a connector that connects only to addresses that it has checked. The check is part of
// the connection, because a second lookup of a name may return another address.

import { Resolver } from 'node:dns/promises'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { buildConnector } from 'undici'
import { isLocalhostName } from '../values/business-url.ts'
import { type NetworkAddress, readAddress } from '../values/network-address.ts'
import { acceptContinue } from './interim-answers.ts'

/** Resolves a host name. @returns its addresses, best first; rejects, or returns none, when the name does not resolve */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/** The host is, or resolves to, an address that is not allowed. The message is for the operator, without addresses. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** The host name has no address. The message is for the operator, without hosts and name servers. */
export class LookupFailed extends Error {
  override readonly name = 'LookupFailed'

  constructor(cause: unknown) {
    super('The host name could not be resolved.', { cause })
  }
}

export type GuardOptions = {
  /** Sandbox mode: loopback addresses are allowed too, by https or http. */
  allowLoopback: boolean
  lookup: Lookup
  /** For the lookup, and for each address. Undici's timer may be up to a second late. */
  connectTimeoutMs: number
  /** Connects to a checked address. Default: undici's connector. */
  dial?: buildConnector.connector
}

// Each address may cost a complete connect timeout, and a host with more broken addresses is down.
const addressesTriedMax = 3

/**
 * Creates a connector for undici. It fails with an `AddressRefused`, a `LookupFailed` or the error of the first
 * address.
 */
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
  // The certificate is checked against this name. A literal has no name and is checked by its address.
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

/** Returns whether to try the next address. After a bad certificate, trying another address does not help. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unreachableCodes.has(error.code)
}

async function resolve(hostname: string, { lookup, connectTimeoutMs }: GuardOptions): Promise<NetworkAddress[]> {
  const texts = await Promise.race([lookup(hostname), deadline(connectTimeoutMs)]).catch((error: unknown) => {
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
  // Events carry payment data: without TLS they stay on this machine, whatever URL was stored in sandbox mode.
  if (protocol !== 'https:') throw new AddressRefused('Plain http is allowed for loopback addresses only.')
}

function dialOne(dial: buildConnector.connector, target: buildConnector.Options): Promise<Socket> {
  const { servername, ...rest } = target
  return new Promise((resolve, reject) => {
    // Undici takes a server name on plain http as a proxy, so it is given for TLS only.
    dial(target.protocol === 'https:' && servername ? target : rest, (error, socket) => {
      if (error === null) resolve(socket)
      else reject(error)
    })
  })
}

/** @throws AddressRefused if the socket is connected to a different address than the checked one */
function checkPeer(socket: Socket, dialled: NetworkAddress): Socket {
  const peer = readAddress(socket.remoteAddress ?? '')
  if (peer?.text === dialled.text) return socket
  socket.destroy()
  throw new AddressRefused('The connection went to a different address than the one that was checked.')
}

async function deadline(ms: number): Promise<never> {
  await delay(ms, undefined, { ref: false })
  throw new Error('lookup timed out')
}

export type DnsOptions = {
  /** `address:port` of the name servers. Default: those of the system. */
  servers?: readonly string[]
  /** For the first try. The second and last try gets twice as long. */
  timeoutMs?: number
}

/**
 * Creates a lookup that asks the name servers without the thread pool. `dns.lookup` blocks one of its four threads
 * while a customer's name server is silent, and these threads also verify the provider's signatures. Does not read the
 * hosts file: its hosts are not public.
 */
export function dnsLookup({ servers, timeoutMs = 1_500 }: DnsOptions = {}): Lookup {
  return async (hostname) => {
    if (isLocalhostName(hostname)) return ['127.0.0.1', '::1']
    // Creates a new resolver each time (24 µs), because a resolver reads the system configuration only once.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    // IPv4 first: without IPv6 a connection should fail immediately, but not every network reports that.
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0 || answers[0].status === 'fulfilled') return addresses
    throw answers[0].reason
  }
}
