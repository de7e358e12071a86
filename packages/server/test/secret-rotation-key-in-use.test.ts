// A key that is in use while the deployment secret is exchanged: it is moved to the new secret by its first use there.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rotateSecrets } from '../src/app/secret-rotation/rotation.ts'
import { type Replica, relayWorld, startReplica } from './relay-world.ts'
import { request } from './test-world.ts'

const world = await relayWorld()
after(() => world.stop())
const [oldSecret = ''] = world.server.deps.config.deploymentSecrets
const newSecret = 'the next deployment secret of a length that will do'
const start = (...deploymentSecrets: string[]) => startReplica(world, { deploymentSecrets })

test('a key in use outlives the old secret, also when a server that still wrote with that secret saw the key last', async () => {
  const { apiKey } = await world.otherBusiness()
  const whoami = async ({ url }: Replica) =>
    (await request('GET', `${url}/v0/whoami`, undefined, { headers: { authorization: `Bearer ${apiKey}` } })).status
  await world.server.stop()
  await using older = await start(oldSecret, newSecret)
  await using newer = await start(newSecret, oldSecret)
  assert.deepEqual([await whoami(newer), await whoami(older)], [200, 200])
  await older.stop()
  assert.equal(await whoami(newer), 200)
  assert.equal((await rotateSecrets(newer.deps, true)).done, true)
  await newer.stop()
  await using alone = await start(newSecret)
  assert.equal(await whoami(alone), 200)
})
