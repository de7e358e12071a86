// The pages of the sandbox and of the operator, with what they show.

import { approvedUser, openAccount } from '../../server/test/test-world.ts'
import type { ConsoleWorld } from './console-world.ts'
import type { PagePath } from './paths.ts'

async function withInbox({ world }: ConsoleWorld): Promise<string> {
  await openAccount(world, await approvedUser(world))
  const webhookUrl = `${world.sandbox.url}/inbox/orders`
  const { id } = (await world.call('POST', '/v0/webhook-endpoints', { webhookUrl })).body.data
  for (const _ of [1, 2, 3]) await world.call('POST', `/v0/webhook-endpoints/${id}/test`, {})
  await world.call('POST', '/v0/sandbox/faults', { path: '^/v0/nothing$', mode: 'status', times: 2 })
  return '/sandbox'
}

export const deploymentPaths: readonly PagePath[] = [{ name: 'sandbox', as: 'business', prepare: withInbox }]
