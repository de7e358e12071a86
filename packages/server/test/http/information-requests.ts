// Requests for information that the emulated provider opens, as a business sees them.

import assert from 'node:assert/strict'
import { type TestWorld, until } from '../test-world.ts'

export type ShownRequest = {
  id: string
  externalUserId: string
  depositId: string | null
  state: string
  deadline: string
  openedAt: string | null
  closedAt: string | null
}

/** Opens a request by the sandbox's own operation, and waits until the business sees it. */
export async function openedRequest(
  world: TestWorld,
  order: { externalUserId: string; depositId?: string; deadlineInHours?: number; actionTaken?: string },
): Promise<ShownRequest> {
  const answer = await world.call('POST', '/v0/sandbox/information-requests', order)
  assert.equal(answer.status, 200, answer.text)
  return await requestInState(world, answer.body.data.id, 'action_required')
}

/** Waits until the business sees a request in a state. */
export async function requestInState(world: TestWorld, id: string, state: string): Promise<ShownRequest> {
  return await until(`the request in ${state}`, async () => {
    const answer = await world.call('GET', `/v0/information-requests/${id}`)
    return answer.status === 200 && answer.body.data.state === state && (answer.body.data as ShownRequest)
  })
}
