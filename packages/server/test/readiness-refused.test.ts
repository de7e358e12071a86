// PostgreSQL that refuses what callers write is not ready, although a small record of a probe still finds room, as on a full
// disk; and the log has the cause once a minute, however many calls are refused.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, request, until } from './caller.ts'
import { freshUserId } from './people.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { url: baseUrl } = world
const { db } = world.inside

const text = 'could not extend file "base/5/16401": No space left on device'

/** Refuses rows of end-users, as a full disk does where the table needs a new page; and new tables, where `isWhole`. */
async function fillDisk(isWhole: boolean): Promise<AsyncDisposable> {
  await db.transaction((tx) =>
    tx.unsafe(`
      create function no_room() returns trigger language plpgsql as
        $$ begin raise exception using errcode = '53100', message = '${text}'; end $$;
      create function no_room_for_tables() returns event_trigger language plpgsql as
        $$ begin raise exception using errcode = '53100', message = '${text}'; end $$;
      create trigger no_room before insert on end_users execute function no_room();
      ${isWhole ? `create event trigger no_room on ddl_command_start when tag in ('CREATE TABLE AS') execute function no_room_for_tables();` : ''}`),
  )
  return {
    async [Symbol.asyncDispose]() {
      await db.transaction((tx) =>
        tx.unsafe(
          `drop event trigger if exists no_room; drop function no_room_for_tables; drop function no_room cascade`,
        ),
      )
    },
  }
}

const ready = async () => (await request('GET', `${baseUrl}/readyz`)).status
const write = () => world.business.call('POST', '/v0/end-users', { externalUserId: freshUserId() })
const refusals = () => world.log.filter((line) => line.includes('database refused work'))

test('writes that are refused for want of room make it not ready within ten seconds, whatever a probe finds', async () => {
  {
    await using _ = await fillDisk(false)
    const beganAtMs = performance.now()
    await until('a server that is not ready', async () => {
      assertError(await write(), 503, 'database_unavailable')
      return (await ready()) === 503
    })
    assert.ok(performance.now() - beganAtMs < 10_000)
    const [line, ...more] = refusals()
    assert.deepEqual(more, [])
    const { sqlState, text: cause, remedy } = JSON.parse(line ?? '{}')
    assert.deepEqual([sqlState, cause], ['53100', text])
    assert.match(remedy, /^Free space on the disk/)
  }
  await until('a server that is ready', async () => (await write()).status === 200 && (await ready()) === 200)
})

test('one refused write is found out with a page of its own: without room there, it is not ready', async () => {
  {
    await using _ = await fillDisk(true)
    assertError(await write(), 503, 'database_unavailable')
    await until('a server that is not ready', async () => (await ready()) === 503)
  }
  await until('a server that is ready', async () => (await ready()) === 200)
})
