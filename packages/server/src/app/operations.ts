// Every declared operation of the API, by noun: for the document, the SDK, the command line and the tests over all operations.

import { depositOperations } from '../deposits/operations.ts'
import type { Operation } from '../platform/http/operation.ts'
import { statsOperations } from '../stats/operations.ts'
import { virtualAccountOperations } from '../virtual-accounts/operations.ts'

export const allOperations: readonly Operation[] = [
  ...virtualAccountOperations,
  ...depositOperations,
  ...statsOperations,
]
