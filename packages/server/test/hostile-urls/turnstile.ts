// The last step before a connection: every socket of this process passes here. It notes what would be dialled and turns it
// back, so that a test never sends a packet out.

import { Socket, type TcpSocketConnectOpts } from 'node:net'

export type Turnstile = Disposable & {
  /** The hosts since the last call, in order: addresses, or names that the socket would have looked up. */
  dialled(): string[]
}

export function standAtTheDoor(): Turnstile {
  const { connect } = Socket.prototype
  const hosts: string[] = []
  // Called by `net.connect` with its arguments in one array, by `tls.connect` with the options themselves.
  Socket.prototype.connect = function (this: Socket, ...args: [unknown, ...unknown[]]): Socket {
    const [options] = (Array.isArray(args[0]) ? args[0] : args) as [Partial<TcpSocketConnectOpts>]
    hosts.push(options.host ?? 'localhost')
    const turnedBack = Object.assign(new Error('turned back at the turnstile'), { code: 'ECONNREFUSED' })
    setImmediate(() => this.destroy(turnedBack)) // when the caller listens for the error
    return this
  }
  return {
    dialled: () => hosts.splice(0),
    [Symbol.dispose]() {
      Socket.prototype.connect = connect
    },
  }
}
