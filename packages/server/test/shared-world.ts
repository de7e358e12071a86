// One world for all files of a process that ask for the same settings: each gets a business of its own in it. Files of a
// process run one after the other, so what they order from the emulator does not meet.

import { type RelayWorld, relayWorld } from './relay-world.ts'

type Shared = { world: Promise<RelayWorld>; users: number }

const shared = new Map<string, Shared>()
let isKept = false

/**
 * A business with its key and its webhook inbox, in a world that other files may use after this one.
 * @param env settings; files with the same ones share a world
 */
export async function sharedWorld(env: Record<string, string> = {}): Promise<RelayWorld> {
  const settings = JSON.stringify(env)
  const place = shared.get(settings) ?? { world: relayWorld(env), users: 0 }
  shared.set(settings, place)
  place.users += 1
  const world = await place.world
  const operator = { key: world.facts.adminSecret }
  const business = await world.call('POST', '/v0/customers', { name: 'My business' }, operator)
  const customerId: string = business.body.data.id
  const issued = await world.call('POST', `/v0/customers/${customerId}/api-keys`, { name: 'First key' }, operator)
  const apiKey: string = issued.body.data.key
  const call: RelayWorld['call'] = (method, path, body, { key = apiKey, ...options } = {}) =>
    world.call(method, path, body, { key, ...options })
  const webhook = await call('PUT', '/v0/webhook-url', { webhookUrl: world.inboxUrl })
  return {
    ...world,
    call,
    facts: { ...world.facts, customerId, apiKey },
    signingSecret: webhook.body.data.signingSecret,
    async stop() {
      await world.control('DELETE', '/faults')
      place.users -= 1
      if (place.users > 0 || isKept) return
      shared.delete(settings)
      await world.stop()
    },
  }
}

/**
 * Keeps shared worlds open until the end of the process.
 * @returns stops them all
 */
export function keepSharedWorlds(): () => Promise<void> {
  isKept = true
  return async () => {
    for (const { world } of shared.values()) await (await world).stop()
  }
}
