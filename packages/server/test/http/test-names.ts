// Owns what the name of a test claims: "404 …", in a file that is named after an operation, claims that the operation responds
// with 404. scripts/test-statuses.ts checks the claim when the test runs.

import { type Operation, operations } from '../caller.ts'

export const fileNameOf = ({ id }: Operation) => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * Finds the operation that a file tests. `list-deposits-of-virtual-account.test.ts` begins with the names of two operations, and
 * belongs to the longer one.
 * @param file without its folder
 */
export function operationOfFile(file: string): Operation | undefined {
  const owners = operations.filter((operation) => {
    const name = fileNameOf(operation)
    return file.startsWith(`${name}.`) || file.startsWith(`${name}-`)
  })
  return owners.sort((one, other) => other.id.length - one.id.length)[0]
}

/** Finds the operation that a test is about. Tests of all operations name it: `401 and 403 listEvents: …`. */
export function operationOf(file: string, name: string): Operation | undefined {
  const [, id] = /^[^:]* (\w+):/.exec(name) ?? []
  return operationOfFile(file) ?? operations.find((operation) => operation.id === id)
}

/** Lists the statuses that a name begins with: `404 and 409 …` claims both. */
export function statusesOfName(name: string): number[] {
  const [beginning = ''] = /^\d{3}\b(?:(?:, then | and |, )\d{3}\b)*/.exec(name) ?? []
  return (beginning.match(/\d{3}/g) ?? []).map(Number)
}
