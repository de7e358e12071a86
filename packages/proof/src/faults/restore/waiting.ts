// End-users with accounts that wait for KYC at the point in time, and open after it.

import type { Chance } from '../../rig/chance.ts'
import type { Database } from '../../rig/databases/database.ts'
import type { Notes } from '../../rig/ledger.ts'
import { callerOf } from '../../rig/load/caller.ts'
import { approve, openAccount, refusalOf, type Teller } from '../../rig/load/stories.ts'
import type { Business, World } from '../../rig/world.ts'

const count = 4
const patienceMs = 60_000
const answerMsMax = 20_000

/** @returns what has them approved */
export async function addWaiting(
  world: World<Database>,
  business: Business,
  notes: Notes,
  chance: Chance,
): Promise<() => Promise<void>> {
  const patience = AbortSignal.timeout(patienceMs)
  const caller = callerOf(business, { send: world.send, notes, patience, answerMsMax })
  const teller: Teller = { business, caller, notes, provider: world.provider, isOver: () => patience.aborted }
  const names = Array.from({ length: count }, (_, at) => `${business.mark}-waiting-${at}`)
  for (const externalUserId of names) {
    const body = { externalUserId, email: `${externalUserId}@example.com`, metadata: { mark: business.mark } }
    const created = await caller.write('POST', '/v0/end-users', body)
    if (!created.ok) throw new Error(refusalOf('POST /v0/end-users', created))
    await openAccount(teller, externalUserId, chance, true)
  }
  return async () => {
    for (const name of names) await approve(teller, `/v0/end-users/${name}`, name, () => patience.throwIfAborted())
  }
}
