// The use of a connection must not affect its next use. Tests only the database: with the scope of one business left on
// a connection, a server would not even start.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { businessRole } from '../src/platform/postgres/row-security.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
after(() => database.drop())

test('the scope ends with its transaction, also with one that fails: the connection goes back as it came', async () => {
  const single = openDatabase(database.connection, { poolMax: 1 })
  const whoAmI = () =>
    single.read(
      (query) => query<{ role: string; business: string | null }[]>`
        select current_user as role, nullif(current_setting('causeway.business_id', true), '') as business`,
    )
  try {
    const asOne = await single.of('biz_1').read(
      (query) => query<{ role: string; business: string }[]>`
      select current_user as role, current_setting('causeway.business_id', true) as business`,
    )
    assert.deepEqual({ ...asOne[0] }, { role: businessRole, business: 'biz_1' })
    const asItself = { role: database.connection.username, business: null }
    assert.deepEqual({ ...(await whoAmI())[0] }, asItself)
    await assert.rejects(single.of('biz_1').read((query) => query`select 1 / 0`))
    assert.deepEqual({ ...(await whoAmI())[0] }, asItself)
    await assert.rejects(single.of('biz_1').read((query) => query`select missing from end_users`))
    await assert.rejects(
      single.of('biz_1').read((query) => query`select missing from end_users`),
      /42703/,
    )
    await single.of('biz_1').transaction((tx) => tx`select 1`)
    await assert.rejects(single.of('biz_1').transaction((tx) => tx`select 1 / 0`))
    assert.deepEqual({ ...(await whoAmI())[0] }, asItself)
  } finally {
    await single.close()
  }
})
