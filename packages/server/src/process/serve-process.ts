// Entry of the package `@causeway/server`: the whole service, or the part named by the argument `api` or `relay`,
// configured by the environment.

import { ConfigError } from '../platform/config.ts'
import { parseConfig, processEnvironment } from '../platform/settings.ts'
import { version } from '../platform/version.ts'
import { serve } from './serve.ts'

const exitUsage = 64 // EX_USAGE and EX_CONFIG of sysexits.h
const exitConfig = 78

const role = process.argv[2] ?? 'all'
if (role === '--version') {
  console.log(version)
  process.exit()
}
if (role !== 'all' && role !== 'api' && role !== 'relay') {
  console.error(
    'Usage: causeway-server [api|relay] [--version]. Runs the service, or one part of it, configured by the environment.',
  )
  process.exit(exitUsage)
}
try {
  await serve(parseConfig(processEnvironment()), role)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = error instanceof ConfigError ? exitConfig : 1
}
