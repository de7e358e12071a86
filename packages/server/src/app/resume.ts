// Repeats upstream writes whose holder is gone or whose outcome is unknown, with the same key, until an answer settles them.

import { resumePerson } from '../end-users/kyc/company-people.ts'
import { resumeKycLink } from '../end-users/kyc/links.ts'
import { resumeSubmission } from '../end-users/kyc/submit.ts'
import { nextAccountsDueMs } from '../end-users/service.ts'
import { completeTosLink } from '../end-users/tos-links.ts'
import { ApiError } from '../platform/errors.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import {
  claimAbandonedOperations,
  nextOperationDueMs,
  type Operation,
  type OperationKind,
} from '../provider/operations/operations.store.ts'
import { resumeLeaseMs } from '../provider/operations/operations.ts'
import { completeChange, startDueDestinations } from '../virtual-accounts/change.ts'
import { completeCreation } from '../virtual-accounts/open.ts'
import { nextDestinationDueMs } from '../virtual-accounts/pending-destination.store.ts'
import { followDueVerdicts } from '../virtual-accounts/standing/verdict.ts'
import type { Deps } from './context.ts'

const batchSize = 20

const resumers: Readonly<Record<OperationKind, (deps: Deps, operation: Operation) => Promise<unknown>>> = {
  'tos_link.create': completeTosLink,
  'kyc_link.create': resumeKycLink,
  'customer.create': resumeSubmission,
  'customer.update': resumeSubmission,
  'associated_person.create': resumePerson,
  'virtual_account.create': (deps, operation) => completeCreation(deps, null, operation),
  'virtual_account.update': (deps, operation) => completeChange(deps, null, operation),
  'virtual_account.deactivate': (deps, operation) => completeChange(deps, null, operation),
  'virtual_account.reactivate': (deps, operation) => completeChange(deps, null, operation),
}

export function startResumeLoop(deps: Deps): Loop {
  return startLoop({
    name: 'resume',
    log: deps.log,
    async turn() {
      await followDueVerdicts(deps)
      await startDueDestinations(deps)
      const claimed = await deps.db.transaction((tx) =>
        claimAbandonedOperations(tx, { limit: batchSize, leaseMs: resumeLeaseMs(deps) }),
      )
      await Promise.all(claimed.map((operation) => resume(deps, operation)))
      return claimed.length === batchSize
    },
    nextDueMs: () =>
      deps.db.read(async (query) => {
        const dues = [
          await nextOperationDueMs(query),
          await nextDestinationDueMs(query),
          await nextAccountsDueMs(query),
        ]
        const known = dues.filter((ms) => ms !== null)
        return known.length === 0 ? null : Math.min(...known)
      }),
  })
}

async function resume(deps: Deps, operation: Operation): Promise<void> {
  const facts = { operation: operation.id, kind: operation.kind, attempts: operation.attempts }
  try {
    await resumers[operation.kind](deps, operation)
    deps.log.info(facts, 'interrupted operation completed')
  } catch (err) {
    // The caller of the provider records the outcome; after an unexpected failure the lease runs out.
    if (err instanceof ApiError)
      deps.log.info({ ...facts, code: err.code }, 'interrupted operation not settled yet, or refused')
    else deps.log.error({ ...facts, err }, 'operation resume failed')
  }
}
