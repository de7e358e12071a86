// The last step before a connection: every socket of this process passes here. It counts what would be
// dialled, lets through what stays on this machine, and turns the rest back, so that a proof never sends a packet out.

import { isIP, Socket, type TcpSocketConnectOpts } from 'node:net'
import type { Lookup } from '../../../server/src/webhooks/delivery/sender/guarded-connect.ts'
import { isLoopback, isSpecial, ownAddresses } from './special-addresses.ts'

export type Turnstile = Disposable & {
  /** To public addresses: turned back. That there are any shows that the guard lets something through. */
  publicDials: number
  /** To addresses that are not public, or by a name that nobody has checked. There must be none. */
  forbiddenDials: number
  /** The first of the forbidden, for the report. */
  examples: string[]
  /** A listener of the proof itself, on loopback. */
  allow(port: number): void
}

const examplesMax = 10

type ConnectOptions = Partial<TcpSocketConnectOpts>

/** @param lookup for connections by name: the guard's name server, which may answer differently now */
export function standAtTheDoor(lookup: Lookup): Turnstile {
  const connect = Socket.prototype.connect
  const stays = new Set(['0.0.0.0', '::', ...ownAddresses])
  const isHere = (address: string): boolean => isLoopback(address) || stays.has(address)
  const allowed = new Set<number>()
  const turnstile: Turnstile = {
    publicDials: 0,
    forbiddenDials: 0,
    examples: [],
    allow: (port) => void allowed.add(port),
    [Symbol.dispose]() {
      Socket.prototype.connect = connect
    },
  }
  const forbid = (host: string, port: number): void => {
    turnstile.forbiddenDials += 1
    if (turnstile.examples.length < examplesMax) turnstile.examples.push(`${host} port ${port}`)
  }
  /** @returns whether the connection may be made */
  const pass = (options: ConnectOptions): boolean => {
    const { host = 'localhost', port } = options
    if (isLoopback(isIP(host) ? host : '0.0.0.0') && allowed.has(Number(port))) return true
    if (isIP(host) && !isSpecial(host)) {
      turnstile.publicDials += 1
      return false
    }
    forbid(host, Number(port))
    if (isIP(host)) return isHere(host)
    options.lookup = (name, _options, done) => {
      lookup(name).then(
        (addresses) => {
          const address = addresses.find(isHere)
          if (address === undefined) done(turnedBack(), '', 4)
          else done(null, [{ address, family: isIP(address) }])
        },
        () => done(turnedBack(), '', 4),
      )
    }
    return true
  }
  // Called by `net.connect` with its arguments in one array, by `tls.connect` with the options themselves.
  Socket.prototype.connect = function (this: Socket, ...args: [unknown, ...unknown[]]): Socket {
    const [options] = Array.isArray(args[0]) ? args[0] : args
    if (pass(options as ConnectOptions)) return Reflect.apply(connect, this, args) as Socket
    setImmediate(() => this.destroy(turnedBack())) // when the caller listens for the error
    return this
  }
  return turnstile
}

const turnedBack = (): NodeJS.ErrnoException =>
  Object.assign(new Error('turned back at the turnstile'), { code: 'ECONNREFUSED' })
