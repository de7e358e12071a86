// A heap of one business's provider events does not hold up the state of another.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openClient } from '../src/platform/postgres/client.ts'
import type { Subscriber } from './business.ts'
import { until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

/** @returns as which number the quiet event is applied after `heap` has made the events due */
async function placeOf(quiet: Subscriber, heap: string): Promise<number> {
  const { query, close } = await openClient(world.database, { applicationName: 'test' })
  try {
    await until('nothing to be due', async () => {
      const [row] = await query<{ count: number }[]>`select count(*)::int as count from event_work`
      return row?.count === 0
    })
    await query.unsafe(`
      create table applied (at bigint generated always as identity, event_id text);
      create function note_applied() returns trigger language plpgsql security definer as $$
        begin insert into applied (event_id) values (old.event_id); return old; end $$;
      create trigger note_applied after delete on event_work for each row execute function note_applied();
      ${heap}`)
    world.inside.wake('apply')
    return await until('the quiet event', async () => {
      const [row] = await query<{ place: number }[]>`
        select a.at::int as place from applied a join events e on e.id = a.event_id where e.business_id = ${quiet.id}`
      return row?.place
    })
  } finally {
    await query.unsafe('drop function note_applied cascade; drop table applied; delete from event_work')
    await close()
  }
}

test('behind a heap of a loud business, an event of a quiet one is applied in its turn', async () => {
  await using loud = await world.subscriber()
  await using quiet = await world.subscriber()
  for (let at = 0; at < 400; at++) await world.post(loud.event())
  await world.post(quiet.event())
  const place = await placeOf(
    quiet,
    `insert into event_work (event_id, due_at)
      select id, case when business_id = '${loud.id}' then now() - interval '1 minute' else now() end
      from events where type = 'test.happened'`,
  )
  assert.ok(place < 50, `applied as number ${place} of 401`)
})

test('the same, where more events of one moment wait than are read at once', async () => {
  await using loud = await world.subscriber()
  await using quiet = await world.subscriber()
  await world.post(loud.event())
  await world.post(quiet.event())
  const place = await placeOf(
    quiet,
    `insert into events
      select (jsonb_populate_record(e, jsonb_build_object('id', e.id || lpad(n::text, 5, '0'), 'position', e.position + n))).*
      from events e, generate_series(1, 8000) n where business_id = '${loud.id}' and type = 'test.happened';
    insert into event_work (event_id, due_at)
      select id, case when business_id = '${loud.id}' then now() - interval '1 minute' else now() end
      from events where business_id in ('${loud.id}', '${quiet.id}') and type = 'test.happened'`,
  )
  assert.ok(place < 5000, `applied as number ${place} of 8002`)
})
