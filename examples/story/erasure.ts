// The end: an end-user asks to be forgotten.

import assert from 'node:assert/strict'
import { ApiError, type ErrorCode } from '@causeway/sdk'
import { chapter, saw } from './tell.ts'
import type { World } from './world.ts'

export async function erasure({ api }: World, externalUserId: string): Promise<void> {
  chapter('Erasure')
  await assert.rejects(api.endUsers.delete(externalUserId), isError('end_user_in_use'))
  saw('is refused while accounts are active')

  const active = await api.virtualAccounts.list({ externalUserId, status: 'active' }).toArray({ max: 10 })
  for (const { id } of active) {
    const { status } = await api.virtualAccounts.deactivate(id)
    assert.equal(status, 'deactivated')
  }

  assert.deepEqual(await api.endUsers.delete(externalUserId), { deleted: true })
  await assert.rejects(api.endUsers.get(externalUserId), isError('holder_not_found'))
  const [{ id } = assert.fail('no account was active')] = active
  await assert.rejects(api.virtualAccounts.get(id), isError('virtual_account_not_found'))
  saw(`${active.length} accounts deactivated, the end-user erased with all that was theirs`)
}

const isError = (code: ErrorCode) => (error: unknown) => error instanceof ApiError && error.code === code
