// A database without room cannot store an alert: the operator gets it all the same, once, and the log has it afterwards.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FullDatabase } from '../src/alerts/watch/full-database.ts'
import { createSender } from '../src/platform/guarded-http/sender.ts'
import { watchNow } from './alerts.ts'
import { dataOf, until } from './caller.ts'
import { freshUserId } from './people.ts'
import { openReceiver } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { db } = world.inside
const { call } = world.operator

/** Refuses new rows and new tables, as a full disk does. */
async function fillDisk(): Promise<AsyncDisposable> {
  const raise = `$$ begin raise exception using errcode = '53100', message = 'No space left on device'; end $$`
  await db.transaction((tx) =>
    tx.unsafe(`
      create function no_room() returns trigger language plpgsql as ${raise};
      create function no_room_for_tables() returns event_trigger language plpgsql as ${raise};
      create trigger no_room before insert on end_users execute function no_room();
      create event trigger no_room on ddl_command_start when tag in ('CREATE TABLE AS') execute function no_room_for_tables();`),
  )
  return {
    async [Symbol.asyncDispose]() {
      await db.transaction((tx) =>
        tx.unsafe(
          'drop event trigger if exists no_room; drop function no_room_for_tables; drop function no_room cascade',
        ),
      )
    },
  }
}

test('the operator gets one alert while the database cannot write, and one recovery; both are in the log', async () => {
  await using receiver = await openReceiver()
  const { id } = dataOf(await call('POST', '/v0/operator/alert-channels', { type: 'slack', url: receiver.url }))
  const sender = createSender({ allowLoopback: true })
  const fullDatabase = new FullDatabase({ ...world.inside, sender, readOperatorCauses: async () => [] }, 0)
  await fullDatabase.afterRound(true)
  assert.equal(receiver.seen.length, 0, 'a database that writes is no cause')
  {
    await using _ = await fillDisk()
    await until('a database that does not write', async () => {
      await world.business.call('POST', '/v0/end-users', { externalUserId: freshUserId() })
      return (await db.health()) === 'not_writing'
    })
    await fullDatabase.afterRound(true)
    await fullDatabase.afterRound(true)
    assert.equal(receiver.seen.length, 1)
    assert.match(receiver.seen[0]?.body.toString() ?? '', /Database cannot store data/)
  }
  await until('a database that writes', async () => (await db.health()) === 'well')
  await fullDatabase.afterRound(false)
  await fullDatabase.afterRound(false)
  await sender.close()
  await watchNow(world)
  await until('the recovery', () => receiver.seen[1])
  assert.match(receiver.seen[1]?.body.toString() ?? '', /Database stores data again/)
  const [alert, ...others] = dataOf(await call('GET', '/v0/operator/alerts?kind=database.full'))
  assert.deepEqual([alert.state, others], ['recovered', []])
  const log = async () => dataOf(await call('GET', `/v0/operator/alert-messages?channelId=${id}`))
  const messages = await until('both messages', async () => {
    const found = await log()
    return found.every(({ state }: { state: string }) => state === 'sent') && found
  })
  assert.equal(messages.length, 2)
})
