// New destinations whose time has come: handed to the provider like any other change.

import type { Deps } from '../app/context.ts'
import { handToResume } from '../provider/operations/operations.ts'
import { beginChange } from './change.ts'
import { beginDestination, deferDestination, listDueDestinations } from './pending-destinations.store.ts'
import type { CheckedDestination } from './terms.ts'

const atOnce = 50

/** For the resume loop, which completes what is begun here. */
export async function startDueDestinations(deps: Deps): Promise<void> {
  for (const { businessId, id } of await deps.db.read((query) => listDueDestinations(query, atOnce))) {
    await deps.db.transaction(async (tx) => {
      const due = await beginDestination(tx, businessId, id)
      if (!due) return // another replica has begun it, or its owner has thought better of it
      const destination = due.destination as CheckedDestination // written by scheduleDestination, in this shape
      const account = { businessId, id }
      const by = { name: due.actor, requestId: null }
      const begun = await beginChange(deps, tx, account, 'virtual_account.update', { destination }, by)
      if (begun) await handToResume(tx, begun)
      else await deferDestination(tx, businessId, id)
    })
  }
}
