// The connections of a world, each through a fault proxy if the plan asks for it.

import { type Address, type FaultProxy, openFaultProxy } from '../network/proxy.ts'
import type { LineName } from '../world.ts'

export type Lines = {
  /** Opens a line. @returns where to connect in place of `target` */
  lead(name: LineName, target: () => Address): Promise<Address>
  /** @throws Error if there is no such line */
  lineOf(name: LineName): FaultProxy
  heal(): Promise<void>
}

/** @param isProxied whether lines other than `webhooks` have a proxy: what responds there outlives every replica */
export function openLines(isProxied: boolean, stack: AsyncDisposableStack): Lines {
  const lines = new Map<string, FaultProxy>()
  return {
    async lead(name, target) {
      if (!isProxied && name !== 'webhooks') return target()
      const proxy = stack.use(await openFaultProxy({ target, speaksPostgres: typeof name === 'object' }))
      lines.set(keyOf(name), proxy)
      return proxy
    },
    lineOf(name) {
      const proxy = lines.get(keyOf(name))
      if (!proxy) throw new Error(`the world has no line ${keyOf(name)}`)
      return proxy
    },
    async heal() {
      for (const proxy of lines.values()) await proxy.heal()
    },
  }
}

const keyOf = (name: LineName): string => (typeof name === 'object' ? `of replica ${name.replica}` : name)

export const originOf = ({ host, port }: Address): string => `http://${host}:${port}`

export function addressOf(url: string): Address {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}
