// Repeats upstream writes whose holder has crashed or whose outcome is unknown, with the same key, until a response
// settles them.

import { resumePerson } from '../end-users/kyc/company-people.ts'
import { resumeKycLink } from '../end-users/kyc/links.ts'
import { resumeSubmission } from '../end-users/kyc/submit.ts'
import { nextAccountsDueMs } from '../end-users/service.ts'
import { completeTosLink } from '../end-users/tos-links.ts'
import type { Core } from '../platform/core.ts'
import { ApiError } from '../platform/errors.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import {
  claimAbandonedOperations,
  nextOperationDueMs,
  type Operation,
} from '../provider/operations/operations.store.ts'
import { resumeLeaseMs } from '../provider/operations/operations.ts'
import type { WriteKind } from '../provider/port.ts'
import { completeChange, startDueDestinations } from '../virtual-accounts/change.ts'
import { completeCreation } from '../virtual-accounts/open.ts'
import { nextDestinationDueMs } from '../virtual-accounts/pending-destination.store.ts'
import { followDueVerdicts } from '../virtual-accounts/standing/verdict.ts'
import type { Services } from './services.ts'

const batchSize = 20

type Resumes = (core: Core, operation: Operation) => Promise<unknown>

const resumersOf = ({ accounts, kyc, terms }: Services): Readonly<Record<WriteKind, Resumes>> => {
  const completesChange: Resumes = (core, operation) => completeChange(accounts(core, null), null, operation)
  const resumesSubmission: Resumes = (core, operation) => resumeSubmission(kyc(core, null), operation)
  return {
    'tos_link.create': (core, operation) => completeTosLink(terms(core, null), null, operation),
    'kyc_link.create': (core, operation) => resumeKycLink(kyc(core, null), operation),
    'customer.create': resumesSubmission,
    'customer.update': resumesSubmission,
    'associated_person.create': (core, operation) => resumePerson(kyc(core, null), operation),
    'virtual_account.create': (core, operation) => completeCreation(accounts(core, null), null, operation),
    'virtual_account.update': completesChange,
    'virtual_account.deactivate': completesChange,
    'virtual_account.reactivate': completesChange,
  }
}

export function startResumeLoop(deps: Core, services: Services): Loop {
  const resumers = resumersOf(services)
  return startLoop({
    name: 'resume',
    log: deps.log,
    async turn() {
      const accounts = services.accounts(deps, null)
      await followDueVerdicts(accounts)
      await startDueDestinations(accounts)
      const claimed = await deps.db.transaction((tx) =>
        claimAbandonedOperations(tx, { limit: batchSize, leaseMs: resumeLeaseMs(deps) }),
      )
      await Promise.all(claimed.map((operation) => resume(deps, resumers[operation.kind], operation)))
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

async function resume(core: Core, resumes: Resumes, operation: Operation): Promise<void> {
  const facts = { operation: operation.id, kind: operation.kind, attempts: operation.attempts }
  try {
    await resumes(core, operation)
    core.log.info(facts, 'interrupted operation completed')
  } catch (err) {
    // The provider client records the outcome; after an unexpected failure the lease expires.
    if (err instanceof ApiError)
      core.log.info({ ...facts, code: err.code }, 'interrupted operation not settled yet, or rejected')
    else core.log.error({ ...facts, err }, 'operation resume failed')
  }
}
