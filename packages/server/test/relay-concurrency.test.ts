// How many deliveries one endpoint has in flight, as the operator sets it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from './caller.ts'
import { freshUserId } from './people.ts'
import { openWorld } from './world.ts'

const atMost = 3
const world = await openWorld({ alone: true, env: { WEBHOOK_CONCURRENCY: String(atMost) } })
after(() => world.stop())

test('WEBHOOK_CONCURRENCY is how many deliveries an endpoint has in flight at most, and is reached', async () => {
  let inFlight = 0
  let most = 0
  await using subscriber = await world.subscriber(() => (_request, response) => {
    inFlight += 1
    most = Math.max(most, inFlight)
    // A lane begins with two in flight and takes another one after they have succeeded: the next may be slow to come.
    setTimeout(
      () => {
        inFlight -= 1
        response.end()
      },
      most < atMost ? 200 : 20,
    )
  })
  // A busy process narrows the window of an endpoint, so that it may take more events to reach the limit.
  for (let round = 1; round <= 10 && most < atMost; round++) {
    const users = Array.from({ length: 30 }, freshUserId)
    for (const externalUserId of users) await subscriber.call('POST', '/v0/end-users', { externalUserId })
    const posted = await Promise.all(users.map((user) => world.post(subscriber.event({ external_user_id: user }))))
    assert.deepEqual([...new Set(posted.map(({ status }) => status))], [200])
    await until('all of them', () => subscriber.receiver.seen.length >= round * users.length)
  }
  assert.equal(most, atMost)
})
