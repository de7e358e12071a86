// Somebody with all rights on the database, but without the deployment secret, rewrites the audit log: whatever is done to
// it, `audit verify` names the first row that does not fit.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { appendAudit } from '../src/audit/log.ts'
import { checkAudit, listPublishedHeads } from '../src/audit/verify.ts'
import { operator } from '../src/platform/http/caller.ts'
import { openClient } from '../src/platform/postgres/client.ts'
import type { Query } from '../src/platform/postgres/query.ts'
import { createSecretBox } from '../src/platform/secrets/secret-box.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
const { query: owner, close } = await openClient(world.database, { applicationName: 'owner' })
after(async () => {
  await close()
  await world.stop()
})
const deps = world.inside

/** A business with seven entries: itself, its key, and five more keys. */
async function chain(): Promise<string> {
  const { id: customerId, apiKey } = await world.otherBusiness()
  for (let count = 0; count < 5; count++) {
    const answer = await world.business.call('POST', '/v0/api-keys', {}, { key: apiKey })
    assert.equal(answer.status, 200, answer.text)
  }
  const { ok, entries } = await checkAudit(deps, customerId)
  assert.deepEqual([ok, entries], [true, 7])
  return customerId
}

/** With the guard of the table put aside, as only its owner can. */
async function asOwner(work: (query: Query) => PromiseLike<unknown>): Promise<void> {
  await owner.unsafe('alter table audit_log disable trigger user')
  await work(owner)
  await owner.unsafe('alter table audit_log enable trigger user')
}

async function firstFinding(customerId: string): Promise<readonly [string, number] | null> {
  const { ok, findings } = await checkAudit(deps, customerId)
  const [finding] = findings
  assert.equal(ok, finding === undefined)
  return finding ? [finding.kind, finding.number] : null
}

const edits: Readonly<Record<string, (query: Query, id: string) => PromiseLike<unknown>>> = {
  actor: (query, id) => query`update audit_log set actor = 'operator' where business_id = ${id} and number = 4`,
  action: (query, id) =>
    query`update audit_log set action = 'api_key.revoked' where business_id = ${id} and number = 4`,
  subject: (query, id) => query`update audit_log set subject_id = 'key_x' where business_id = ${id} and number = 4`,
  details: (query, id) => query`update audit_log set details = '{}' where business_id = ${id} and number = 4`,
  request: (query, id) => query`update audit_log set request_id = null where business_id = ${id} and number = 4`,
  person: (query, id) =>
    query`update audit_log set person = '{"subject": "x", "email": null}' where business_id = ${id} and number = 4`,
  time: (query, id) =>
    query`update audit_log set created_at = created_at + interval '1 millisecond' where business_id = ${id} and number = 4`,
  hash: (query, id) => query`update audit_log set hash = sha256('x') where business_id = ${id} and number = 4`,
}
for (const [field, edit] of Object.entries(edits)) {
  test(`an edited ${field} is named`, async () => {
    const id = await chain()
    await asOwner((query) => edit(query, id))
    assert.deepEqual(await firstFinding(id), ['altered', 4])
  })
}

test('an entry removed from the middle is named, also when those behind it move up', async () => {
  const id = await chain()
  await asOwner((query) => query`delete from audit_log where business_id = ${id} and number = 3`)
  assert.deepEqual(await firstFinding(id), ['missing', 3])
  for (const number of [4, 5, 6, 7])
    await asOwner(
      (query) => query`update audit_log set number = number - 1 where business_id = ${id} and number = ${number}`,
    )
  assert.deepEqual(await firstFinding(id), ['altered', 3])
})

test('a tail cut off is named, and stays named when entries come after it', async () => {
  const id = await chain()
  await asOwner((query) => query`delete from audit_log where business_id = ${id} and number > 5`)
  assert.deepEqual(await firstFinding(id), ['tail_missing', 6])
  await world.business.call('PATCH', `/v0/customers/${id}`, { name: 'Renamed' }, { key: world.operator.secret })
  assert.deepEqual(await firstFinding(id), ['missing', 6])
})

test('a tail cut off with the head moved back to fit, or removed, is named, and later entries do not heal it', async () => {
  for (const isRemoved of [false, true]) {
    const id = await chain()
    await asOwner(async (query) => {
      await query`delete from audit_log where business_id = ${id} and number > 5`
      if (isRemoved) await query`delete from audit_heads where business_id = ${id}`
      else
        await query`update audit_heads h set number = 5, hash = l.hash from audit_log l
          where h.business_id = ${id} and l.business_id = ${id} and l.number = 5`
    })
    assert.deepEqual(await firstFinding(id), [isRemoved ? 'head_missing' : 'head_altered', 5])
    await world.business.call('PATCH', `/v0/customers/${id}`, { name: 'Renamed' }, { key: world.operator.secret })
    assert.deepEqual(await firstFinding(id), ['head_altered', 6])
  }
})

test('an inserted entry is named, with a copied hash and without one', async () => {
  for (const [hash, kind] of [
    ['hash', 'altered'],
    ['null', 'unchained'],
  ]) {
    const id = await chain()
    await asOwner((query) =>
      query.unsafe(`insert into audit_log (business_id, number, actor, action, subject_id, key_id, hash)
        select business_id, 8, actor, action, subject_id, key_id, ${hash} from audit_log where business_id = '${id}' and number = 7`),
    )
    assert.deepEqual(await firstFinding(id), [kind, 8])
  }
})

test('two entries that changed places are named', async () => {
  const id = await chain()
  await asOwner(async (query) => {
    for (const [from, to] of [
      [3, 100],
      [5, 3],
      [100, 5],
    ])
      await query`update audit_log set number = ${to} where business_id = ${id} and number = ${from}`
  })
  assert.deepEqual(await firstFinding(id), ['altered', 3])
})

test('a chain recomputed with a key of one’s own is named: the key has to be sealed under the deployment secret', async () => {
  const id = await chain()
  const [held] = await owner<{ id: number; sealed: Buffer }[]>`select id, sealed from audit_keys order by id limit 1`
  assert.ok(held)
  const sealed = createSecretBox(['another secret that is long enough to be one']).seal('{}', `audit key ${held.id}`)
  await owner`update audit_keys set sealed = ${sealed}`
  await assert.rejects(checkAudit(deps, id), /cannot be opened/)
  await owner`update audit_keys set sealed = ${held.sealed} where id = ${held.id}`
  assert.equal(await firstFinding(id), null)
})

test('a database set back as a whole is told by the heads that were kept elsewhere, and by nothing else', async () => {
  const id = await chain()
  const [head] = await owner<{ number: number; hash: Buffer; keyId: number; signature: Buffer }[]>`
    select number, hash, key_id, signature from audit_heads where business_id = ${id}`
  assert.ok(head)
  await world.business.call('PATCH', `/v0/customers/${id}`, { name: 'Later' }, { key: world.operator.secret })
  const published = await listPublishedHeads(deps)
  await asOwner(async (query) => {
    await query`delete from audit_log where business_id = ${id} and number = 8`
    await query`update audit_heads set number = ${head.number}, hash = ${head.hash}, signature = ${head.signature}
      where business_id = ${id}`
  })
  assert.equal(await firstFinding(id), null)
  const { findings } = await checkAudit(deps, id, published)
  assert.deepEqual([findings[0]?.kind, findings[0]?.number], ['not_as_published', 8])
})

test('an entry that was once at this place, before the log was set back, does not fit what was written since', async () => {
  const id = await chain()
  const rename = (name: string) =>
    world.business.call('PATCH', `/v0/customers/${id}`, { name }, { key: world.operator.secret })
  await owner`create temporary table kept_head as select * from audit_heads where business_id = ${id}`
  await rename('Once')
  await owner`create temporary table kept_entry as select * from audit_log where business_id = ${id} and number = 8`
  await asOwner(async (query) => {
    await query`delete from audit_log where business_id = ${id} and number = 8`
    await query`update audit_heads h set number = k.number, hash = k.hash, signature = k.signature
      from kept_head k where h.business_id = k.business_id`
  })
  await rename('Instead')
  await rename('Since')
  assert.equal(await firstFinding(id), null)
  await asOwner(async (query) => {
    await query`delete from audit_log where business_id = ${id} and number = 8`
    // All but the column that PostgreSQL fills.
    await query`insert into audit_log (business_id, number, actor, action, subject_id, details, created_at, request_id, key_id, hash)
      select business_id, number, actor, action, subject_id, details, created_at, request_id, key_id, hash from kept_entry`
  })
  assert.deepEqual(await firstFinding(id), ['altered', 9])
})

test('nobody changes, removes or empties the log by the table’s own rules', async () => {
  const id = await chain()
  for (const statement of [
    `update audit_log set actor = 'operator' where business_id = '${id}'`,
    `update audit_log set hash = sha256('x') where business_id = '${id}'`,
    `update audit_log set hash = null where business_id = '${id}'`,
    `delete from audit_log where business_id = '${id}'`,
    'truncate audit_log',
  ])
    await assert.rejects(async () => await owner.unsafe(statement), /append-only/, statement)
  assert.equal(await firstFinding(id), null)
})

test('an entry put in without a code is named, and acts that come after it are written and do not heal it', async () => {
  const id = await chain()
  await owner`
    insert into audit_log (business_id, number, actor, action, subject_id)
    values (${id}, 8, 'causeway', 'end_user.deleted', 'eu_older')`
  assert.deepEqual(await firstFinding(id), ['unchained', 8])
  const renamed = await world.business.call(
    'PATCH',
    `/v0/customers/${id}`,
    { name: 'Later' },
    { key: world.operator.secret },
  )
  assert.equal(renamed.status, 200)
  const [last] = await owner<
    { number: number }[]
  >`select max(number) as number from audit_log where business_id = ${id}`
  assert.equal(last?.number, 9)
  assert.deepEqual(await firstFinding(id), ['unchained', 8])
})

// Written to the log directly: acts on API keys wait for each other at their business before they reach it.
test('a hundred acts at once on one business make one chain without a gap', async () => {
  const { id: customerId } = await world.otherBusiness()
  const acts = Array.from({ length: 100 }, (_, at) =>
    deps.db.transaction((tx) =>
      appendAudit(deps, tx, operator, { businessId: customerId, action: 'api_key.revoked', subjectId: `key_${at}` }),
    ),
  )
  const settled = await Promise.allSettled(acts)
  assert.deepEqual(
    settled.filter(({ status }) => status === 'rejected'),
    [],
  )
  const { ok, entries } = await checkAudit(deps, customerId)
  assert.deepEqual([ok, entries], [true, 102])
})

test('the whole log is checked at once, and the deployment’s own chain is part of it', async () => {
  const { ok, chains, findings } = await checkAudit(deps, null)
  assert.equal(ok, false)
  assert.ok(chains > 10)
  const named = new Set(findings.map(({ customerId }) => customerId))
  assert.ok(!named.has(world.business.id) && !named.has('deployment'))
  const own = await checkAudit(deps, 'deployment')
  assert.deepEqual([own.ok, own.entries], [true, 1])
})
