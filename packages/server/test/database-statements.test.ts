// Statements carry any value to PostgreSQL and back, and a plan is renewed when necessary.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { type Database, DatabaseError } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import type { Tx } from '../src/platform/postgres/query.ts'
import { jsonValues } from './json-values.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 3 })
after(async () => {
  await db.close()
  await database.drop()
})

/** PostgreSQL stores no NUL, and text is UTF-8. */
const texts = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed())

test('every value comes back as it was given, alone and in lists', async () => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map((list) => Buffer.from(list))
  const moments = fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true })
  const lists = fc.array(fc.option(texts), { maxLength: 5 })
  const given = fc.tuple(texts, bytes, moments, fc.maxSafeInteger(), jsonValues(), lists, fc.array(bytes))
  await fc.assert(
    fc.asyncProperty(given, async ([text, blob, moment, number, json, list, blobs]) => {
      // In its columns of JSON, too, PostgreSQL refuses a NUL; and it knows no -0.
      const written = JSON.stringify(json)
      fc.pre(!written.includes('\\u0000') && !/\\ud[89a-f]/.test(written) && !written.includes('-0'))
      const [row] = await db.read(
        (query) => query`
          select ${text}::text as text, ${blob}::bytea as blob, ${moment}::timestamptz as moment, ${number}::bigint as number,
            ${query.json(json)}::jsonb as json, ${list}::text[] as list, ${blobs}::bytea[] as blobs, ${null}::text as none`,
      )
      assert.deepEqual(row, { text, blob, moment, number, json: JSON.parse(written), list, blobs, none: null })
    }),
    { numRuns: 300 },
  )
})

test('a piece may hold pieces, names are quoted, columns are named as in the code', async () => {
  const rows = await db.read((query) => {
    const low = query`${query.names('t.n')} > ${2}`
    return query`
      select t.n as ${query.names('the_number')}, ${'x'}::text as ${query.names('say "it"')}
      from generate_series(1, ${9}::int) t (n) where ${query`${low} and t.n < ${5}`} order by ${query.names(['the_number', 'n'])}`
  })
  assert.deepEqual(
    [...rows],
    [
      { theNumber: 3, 'say "it"': 'x' },
      { theNumber: 4, 'say "it"': 'x' },
    ],
  )
  assert.equal(rows.count, 2)
})

test('a value that was forgotten, or is no value, is refused before anything is sent', async () => {
  for (const value of [undefined, { a: 1 }, [undefined]])
    await assert.rejects(
      db.read((query) => query`select ${value}::text`),
      TypeError,
    )
})

test('a statement runs once however often it is awaited, and not at all when it is not', async () => {
  await db.transaction((tx) => tx`create table counted (n serial)`)
  await db.transaction(async (tx) => {
    const [, once] = [tx`insert into counted default values`, tx`insert into counted default values`]
    await Promise.all([once, once])
    await once
  })
  assert.equal((await db.read((query) => query`select n from counted`)).length, 1)
})

test('a statement that comes after the end of its transaction is refused, and nobody else’s transaction has it', async () => {
  await db.transaction((tx) => tx`create table late (n int)`)
  let kept: Tx | undefined
  await db.transaction(async (tx) => {
    kept = tx
    await tx`select 1`
  })
  await assert.rejects(async () => await kept?.unsafe('insert into late values (1)'), /after the end/)
  assert.equal((await db.read((query) => query`select n from late`)).length, 0)
})

test('an error of the database holds nothing of what was sent', async () => {
  await db.transaction((tx) => tx`create table only_once (name text primary key, n int check (n > 0))`)
  await db.transaction((tx) => tx`insert into only_once values ('canary', 1)`)
  const refused = [
    db.transaction((tx) => tx`insert into only_once values (${'canary'}, 1)`),
    db.transaction((tx) => tx`insert into only_once values ('other', ${-4711}::int)`),
    db.read((query) => query`select ${'canary'}::int`),
  ]
  for (const { reason } of (await Promise.allSettled(refused)) as PromiseRejectedResult[]) {
    assert.ok(reason instanceof DatabaseError)
    const { name, message, stack, cause, ...members } = reason
    assert.doesNotMatch(JSON.stringify([name, message, stack, cause, members]), /canary|4711/)
  }
})

const ways: Record<string, (db: Database) => Promise<object[]>> = {
  read: (db) => db.read((query) => query`select * from growing`),
  statement: (db) => db.statement((query) => query`select * from growing`),
  transaction: (db) =>
    db.transaction(async (tx) => {
      await tx`select 1`
      return await tx`select * from growing`
    }),
}

test('after a migration that changes what a planned statement answers, every way of asking answers at once', async () => {
  await db.transaction((tx) => tx`create table growing (one int)`)
  await db.transaction((tx) => tx`insert into growing values (1)`)
  for (const ask of Object.values(ways)) for (let round = 0; round < 4; round++) await ask(db)
  await db.transaction((tx) => tx`alter table growing add column two int default 2`)
  for (const [way, ask] of Object.entries(ways)) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(db)))
    for (const rows of answers) assert.deepEqual([...rows], [{ one: 1, two: 2 }], way)
  }
})
