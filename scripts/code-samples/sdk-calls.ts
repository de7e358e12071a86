// How the SDK spells each operation: the arguments are the id in the path, the query, the body, or members of these. What an
// example does not send is left out.

import { allOperations } from '../../packages/server/src/app/operations.ts'

export const sdkCalls: Readonly<Record<string, string>> = Object.fromEntries(
  allOperations.flatMap(({ id, sdk }) => (sdk === undefined ? [] : [[id, sdk]])),
)
