// The end: an end-user asks to be forgotten.

import assert from 'node:assert/strict'
import { ApiError } from '../client.ts'
import type { VirtualAccount } from '../types.ts'
import { chapter, saw } from './tell.ts'
import type { World } from './world.ts'

export async function erasure({ api }: World, externalUserId: string): Promise<void> {
  chapter('Erasure')
  const path = `/v0/end-users/${externalUserId}`
  await assert.rejects(api.delete(path), isError('end_user_in_use'))
  saw('is refused while accounts are active')

  const active: VirtualAccount[] = []
  const query = { externalUserId, status: 'active' }
  for await (const account of api.list<VirtualAccount>('/v0/virtual-accounts', query)) active.push(account)
  for (const { id } of active) {
    const { status } = await api.post<VirtualAccount>(`/v0/virtual-accounts/${id}/deactivate`)
    assert.equal(status, 'deactivated')
  }

  assert.deepEqual(await api.delete(path), { deleted: true })
  await assert.rejects(api.get(path), isError('holder_not_found'))
  const [account] = active
  await assert.rejects(api.get(`/v0/virtual-accounts/${account?.id}`), isError('virtual_account_not_found'))
  saw(`${active.length} accounts deactivated, the end-user erased with all that was theirs`)
}

const isError = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code
