// The exchange of the deployment secret: which servers count as writers, and a key in use, which its first use moves to the new secret.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rotateSecrets } from '../src/app/secret-rotation/rotation.ts'
import { startWriterNoteLoop } from '../src/app/sweep.ts'
import { endWriter } from '../src/platform/secrets/deployment-secrets.ts'
import { request, until } from './caller.ts'
import { openWorld, type Replica } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const [oldSecret = ''] = world.inside.config.deploymentSecrets
const newSecret = 'the next deployment secret of a length that will do'
const start = (...deploymentSecrets: string[]) => world.replica({ config: { deploymentSecrets } })

test('a server that only serves requests goes on counting as one that writes, so that a rotation waits for it', async (t) => {
  const deps = world.inside
  const isNoted = async () => {
    const rows = await deps.db.read(
      (query) => query`
      select 1 from deployment_secret_writers where server = 'requests only' and until > now() + interval '2 minutes'`,
    )
    return rows.length === 1
  }
  const loop = startWriterNoteLoop({ ...deps, instanceId: 'requests only' })
  // A running loop would keep the process alive if something below fails.
  t.after(async () => {
    await loop.stop()
    await endWriter({ ...deps, instanceId: 'requests only' })
  })
  await until('the first note', isNoted)
  await deps.db.transaction(
    (tx) => tx`update deployment_secret_writers set until = now() where server = 'requests only'`,
  )
  loop.wake()
  await until('the next note', isNoted)
})

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
  assert.equal((await rotateSecrets(newer.inside, true)).done, true)
  await newer.stop()
  await using alone = await start(newSecret)
  assert.equal(await whoami(alone), 200)
})
