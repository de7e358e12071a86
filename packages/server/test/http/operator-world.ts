// A world for tests of the operator operations: calls with the operator secret, held against openapi.json.

import { type Call, checkedCalls } from '../api-contract.ts'
import { sharedWorld } from '../shared-world.ts'
import type { TestWorld } from '../test-world.ts'

export type OperatorWorld = TestWorld & { operate: Call; checked: Call; newCustomer(name?: string): Promise<string> }

export async function operatorWorld(opened: Promise<TestWorld> = sharedWorld()): Promise<OperatorWorld> {
  const world = await opened
  const checked = checkedCalls(world)
  const operate: Call = (method, path, body, options) =>
    checked(method, path, body, { key: world.facts.adminSecret, ...options })
  return {
    ...world,
    checked,
    operate,
    newCustomer: async (name = 'A customer') => (await operate('POST', '/v0/customers', { name })).body.data.id,
  }
}
