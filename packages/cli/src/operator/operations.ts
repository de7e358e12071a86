// The operator commands, and their work on the stores of a deployment.

import { afterRestore, skipDefault } from '../../../server/src/app/restore/after-restore.ts'
import { rotateSecrets } from '../../../server/src/app/secret-rotation/rotation.ts'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import { connectProvider } from '../../../server/src/provider/connection/connection.ts'
import { UsageError } from '../command.ts'
import { auditOperations } from './audit.ts'
import type { Operation } from './operation.ts'

/** A thousand restores stay below 2^53. */
const skipMax = 1_000_000_000_000

export const operations: Readonly<Record<string, Operation>> = {
  migrate: { run: async () => ({ schema: 'up to date' }) }, // opening the store has done it
  ...auditOperations,
  'secrets rotate': {
    run: (deps, { now }, { complain }) => rotateSecrets(deps, now === 'true', complain),
    isBad: (answer) => isJsonObject(answer) && answer['done'] !== true,
  },
  'after-restore': {
    run: (deps, { skip, endKeys }) =>
      afterRestore(deps, {
        skip: readSkip(skip),
        endKeys: endKeys === 'true',
        uptimeSeconds: performance.now() / 1_000,
      }),
  },
  'provider connect': { run: (deps, { url }) => connectProvider(deps, url) },
}

function readSkip(text: string): number {
  if (text === '') return skipDefault
  const skip = Number(text)
  if (Number.isSafeInteger(skip) && skip >= 1 && skip <= skipMax) return skip
  throw new UsageError(`--skip takes a whole number from 1 to ${skipMax}`)
}
