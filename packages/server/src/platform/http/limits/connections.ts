// How many connections there may be: of all callers together, and of one address, so that nobody can shut the others out.

import { BlockList, isIPv6, type Socket } from 'node:net'
import type { Config } from '../../config.ts'
import type { App } from '../app.ts'
import { connectionsMax } from '../limits.ts'
import { networkOf } from './rate-limit.ts'

/** Above this part of the limit, connections on which no request is under way are closed, at most once in a second. */
const idleFrom = 3 / 4
const idleCheckMs = 1_000

export function boundConnections(app: App, { trustProxy, connectionsPerAddress }: Config): void {
  const { server } = app
  server.maxConnections = connectionsMax
  const isProxy = proxyCheck(trustProxy)
  const byAddress = new Map<string, number>()
  let [total, lookedMs] = [0, 0]
  const makeRoom = (): void => {
    if (total < server.maxConnections * idleFrom || performance.now() - lookedMs < idleCheckMs) return
    lookedMs = performance.now()
    server.closeIdleConnections()
  }
  // One too many never becomes a connection, so it is told of by itself.
  server.on('drop', makeRoom)
  server.on('connection', (socket: Socket) => {
    total++
    socket.once('close', () => total--)
    makeRoom()
    if (isProxy(socket.remoteAddress ?? '')) return
    const address = networkOf(socket.remoteAddress ?? '')
    const count = (byAddress.get(address) ?? 0) + 1
    if (count > connectionsPerAddress) return void socket.destroy()
    byAddress.set(address, count)
    socket.once('close', () => {
      const left = (byAddress.get(address) ?? 1) - 1
      if (left === 0) byAddress.delete(address)
      else byAddress.set(address, left)
    })
  })
}

/** Behind a proxy all callers come from its address. `TRUST_PROXY=true` names none: every connection is the proxy's. */
function proxyCheck(trustProxy: Config['trustProxy']): (address: string) => boolean {
  if (typeof trustProxy === 'boolean') return () => trustProxy
  const proxies = new BlockList()
  for (const network of trustProxy.flatMap((entry) => wellKnown[entry] ?? [entry])) {
    const [address = '', bits] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  return (address) => address !== '' && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** As `TRUST_PROXY` names them. */
const wellKnown: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}
