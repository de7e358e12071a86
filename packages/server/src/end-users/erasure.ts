// Erasure of an end-user: deletes Causeway's data about the end-user. The provider keeps its data, under its own
// duties.

import { appendAudit } from '../audit/log.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { actorOf } from '../platform/http/caller.ts'
import { storeResponse } from '../platform/http/idempotency/service.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import type { Tx } from '../platform/postgres/query.ts'
import * as store from './erasure.store.ts'
import { endUserOf } from './service.ts'

/** Places of the stream emptied in one transaction. */
const placesAtOnce = 5_000

/**
 * Erases an end-user with its links, accounts and deposits, and the content of its events. IDs, types and numbers of
 * events stay.
 * @throws ApiError `holder_not_found`; `end_user_in_use` while an account is active or suspended, money is in transit,
 * or a call to the provider about the end-user is in progress
 */
export async function deleteEndUser(
  deps: Core,
  { business, held }: RequestScope,
  externalUserId: string,
): Promise<{ deleted: true }> {
  const { id } = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  const wasThere = await forgetEndUser(deps, business, id, async (tx) => {
    const obstacles = await store.listErasureObstacles(tx, business.id, id)
    if (obstacles.length > 0) throw inUse(obstacles)
    storeResponse(deps, held, tx, { deleted: true })
  })
  if (!wasThere) throw fail('holder_not_found', { param: 'externalUserId' })
  return { deleted: true }
}

/**
 * Erases an end-user without checks other than `check`, which may throw.
 * @returns false if another request has already erased the end-user
 */
export async function forgetEndUser(
  deps: Core,
  business: Business,
  endUserId: string,
  check: (tx: Tx) => Promise<void> = async () => {},
): Promise<boolean> {
  const businessId = business.id
  const erasure = await deps.db.transaction(async (tx) => {
    const present = await store.lockPresent(tx, businessId, endUserId)
    if (!present) return null
    await check(tx)
    const erasure = { businessId, endUserId, position: present.streamFrom }
    await store.deleteEndUser(tx, erasure)
    const act = { businessId, action: 'end_user.deleted', subjectId: endUserId } as const
    await appendAudit(deps, tx, actorOf(business), act)
    return erasure
  })
  if (erasure) await emptyEvents(deps, erasure)
  return erasure !== null
}

function inUse(obstacles: readonly store.ErasureObstacle[]) {
  const details = obstacles.map(({ kind, id, state }) => {
    const noun = kind === 'account' ? 'virtual account' : kind
    const message = kind === 'operation' ? `change under way of ${id}: ${state}.` : `The ${noun} ${id} is ${state}.`
    return { param: 'externalUserId', code: `${kind}_open`, message }
  })
  return fail('end_user_in_use', { details })
}

async function emptyEvents(deps: Core, erasure: store.Erasure): Promise<void> {
  let position: number | null = erasure.position
  while (position !== null) {
    const from: number = position
    position = await deps.db.transaction((tx) => store.eraseEvents(tx, { ...erasure, position: from }, placesAtOnce))
  }
}

/** Finishes erasures that a crashed server has left, for the sweep. */
export async function finishErasures(deps: Core): Promise<void> {
  for (const erasure of await deps.db.read((query) => store.listErasures(query, 100))) await emptyEvents(deps, erasure)
}
