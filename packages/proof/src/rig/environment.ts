// The parts of the environment that a proof uses.

import { resolve } from 'node:path'

/** The command line of this checkout: in a run of all tests its bundle, which loads in a third of the time. */
export const ownCommandLine = [
  process.execPath,
  process.env['CAUSEWAY_TEST_CLI'] ?? resolve(import.meta.dirname, '../../../cli/bin/causeway.js'),
] as const

/** Our own environment, for programs that are set up by it: registries, proxies and caches of Go and npm. */
export function ownEnvironment(): Record<string, string> {
  const given = Object.entries(process.env)
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}
