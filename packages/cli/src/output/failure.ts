// The text for a person when a command fails, and the exit code for a script.

import { ApiError as RefusedRequest, CausewayError as RequestError } from '../../../sdk/src/index.ts'
import { ConfigError } from '../../../server/src/platform/config.ts'
import { ApiError, isRetryable, resolutionOf } from '../../../server/src/platform/errors.ts'
import { DatabaseError } from '../../../server/src/platform/postgres/database.ts'
import { UsageError } from '../command.ts'
import { PlanError, StepError } from '../fixtures/failures.ts'
import { NotSignedIn } from '../profile/resolve.ts'
import { exitCodes } from './exit-codes.ts'
import { safeJson, safeText } from './safe-text.ts'

export type Failure = { text: string; exitCode: number }

/** @param isForProgram whether the text is to be JSON, as with `--json` */
export function failureOf(error: unknown, isForProgram: boolean): Failure {
  const { text, code, requestId = null, exitCode } = factsOf(error)
  const line = { error: { code, message: text, requestId } }
  return { text: isForProgram ? safeJson(line) : text.split('\n').map(safeText).join('\n'), exitCode }
}

type Facts = Failure & { code: string; requestId?: string | null }

function factsOf(error: unknown): Facts {
  if (error instanceof StepError) return stepFacts(error)
  if (error instanceof UsageError)
    return { text: `causeway: ${error.message}`, code: 'wrong_use', exitCode: exitCodes.usage }
  if (error instanceof PlanError) return { text: error.message, code: 'wrong_file', exitCode: exitCodes.usage }
  if (error instanceof ConfigError) return { text: error.message, code: 'wrong_settings', exitCode: exitCodes.config }
  if (error instanceof NotSignedIn)
    return { text: `causeway: ${error.message}`, code: 'not_signed_in', exitCode: exitCodes.notSignedIn }
  if (error instanceof RequestError) return requestFacts(error)
  const text = `causeway: ${textOf(error)}`
  return { text, code: error instanceof ApiError ? error.code : 'failed', exitCode: exitCodes.refused }
}

/** A step of a plan that failed: the failure itself, and where it stands. */
function stepFacts({ place, hasChanged, cause }: StepError): Facts {
  const { text, exitCode, ...facts } = factsOf(cause)
  const isPartlyDone = hasChanged && exitCode === exitCodes.refused
  const problem = `causeway: ${place}: ${text.replace(/^causeway: /, '')}`
  return { ...facts, text: problem, exitCode: isPartlyDone ? exitCodes.partlyDone : exitCode }
}

/** A request of ours to a server that failed. */
function requestFacts(error: RequestError): Facts {
  const { code, message } = error
  if (!(error instanceof RefusedRequest)) {
    const text = `causeway: ${message} Next: start the server (npm start), or name another one by --base-url`
    return { text, code, exitCode: exitCodes.unreachable }
  }
  const { requestId, status, docUrl } = error
  if (status === 401)
    return { text: `causeway: ${message}\nNext: causeway login`, code, requestId, exitCode: exitCodes.notSignedIn }
  const next = docUrl === null ? '' : `\nNext: ${docUrl}`
  return { text: `causeway: ${message}${next}`, code, requestId, exitCode: exitCodes.refused }
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
  UNFIT_SERVER: 'no server there takes writes, which target_session_attrs asks for',
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
