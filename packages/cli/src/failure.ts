// The text for a person when a command fails, and the exit code for a script.

import { ConfigError } from '../../server/src/platform/config.ts'
import { ApiError, isRetryable, resolutionOf } from '../../server/src/platform/errors.ts'
import { DatabaseError } from '../../server/src/platform/postgres/db.ts'
import { UsageError } from './command.ts'

export type Failure = { text: string; exitCode: number }

/** sysexits.h: EX_USAGE and EX_CONFIG. */
const exitUsage = 64
const exitConfig = 78

export function failureOf(error: unknown, usage: string): Failure {
  if (error instanceof UsageError) return { text: `causeway: ${error.message}\n\n${usage}`, exitCode: exitUsage }
  if (error instanceof ConfigError) return { text: error.message, exitCode: exitConfig }
  return { text: `causeway: ${textOf(error)}`, exitCode: 1 }
}

function textOf(error: unknown): string {
  const databaseText = databaseTextOf(error)
  if (databaseText !== null) return databaseText
  if (error instanceof ApiError) {
    return `${error.message} ${isRetryable(error.code) ? 'Try again later.' : resolutionOf(error)} (${error.code})`
  }
  if (isListenError(error)) return listenText(error)
  return error instanceof Error ? error.message : String(error)
}

const databaseFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host is not known',
  CONNECT_TIMEOUT: 'it does not answer',
  ETIMEDOUT: 'it does not answer',
  '28P01': 'it refuses this user name or password',
  '28000': 'it refuses this user',
  '3D000': 'it has no database of this name',
  '42501': 'this user may not change its schema',
  '53300': 'it takes no more connections',
}

/** By SQLSTATE or socket code: the address itself may hold a password and is never repeated. */
export function databaseTextOf(error: unknown): string | null {
  const fault = error instanceof ApiError ? error.cause : error
  if (!(fault instanceof DatabaseError)) return null
  const why = databaseFaults[fault.code]
  return why ? `DATABASE_URL does not lead to a PostgreSQL that can be used: ${why} (${fault.code}).` : fault.message
}

type ListenError = Error & { code: string; port?: number }

function isListenError(error: unknown): error is ListenError {
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')
}

function listenText(error: ListenError): string {
  const what = error.code === 'EADDRINUSE' ? 'is in use already' : 'may not be opened by this user'
  return `Port ${error.port ?? ''} ${what}. Set PORT to another one; 0 picks a free one.`
}
