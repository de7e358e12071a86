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

/** @param isForProgram returns the text as JSON, as with `--json` */
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

/** A failed step of a plan: the failure, and its place in the plan. */
function stepFacts({ place, hasChanged, cause }: StepError): Facts {
  const { text, exitCode, ...facts } = factsOf(cause)
  const isPartlyDone = hasChanged && exitCode === exitCodes.refused
  const problem = `causeway: ${place}: ${text.replace(/^causeway: /, '')}`
  return { ...facts, text: problem, exitCode: isPartlyDone ? exitCodes.partlyDone : exitCode }
}

/** A failed request of this command to a server. */
function requestFacts(error: RequestError): Facts {
  const { code, message } = error
  if (!(error instanceof RefusedRequest)) {
    const text = `causeway: ${message} Start the server (\`npm start\`), or choose another one with --base-url.`
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
  ENOTFOUND: 'the host is unknown',
  CONNECT_TIMEOUT: 'the host does not respond',
  ETIMEDOUT: 'the host does not respond',
  UNFIT_SERVER: 'no server there accepts writes, which target_session_attrs requires',
  '28P01': 'wrong user name or password',
  '28000': 'this user may not connect',
  '3D000': 'the database does not exist',
  '42501': 'this user may not change the schema',
  '53300': 'too many connections',
}

/** By SQLSTATE or socket code: the URL can contain a password and is never printed. */
export function databaseTextOf(error: unknown): string | null {
  const fault = error instanceof ApiError ? error.cause : error
  if (!(fault instanceof DatabaseError)) return null
  const why = databaseFaults[fault.code]
  return why ? `DATABASE_URL is not a usable PostgreSQL database: ${why} (${fault.code}).` : fault.message
}

type ListenError = Error & { code: string; port?: number }

function isListenError(error: unknown): error is ListenError {
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')
}

function listenText(error: ListenError): string {
  const what = error.code === 'EADDRINUSE' ? 'is already in use' : 'cannot be opened by this user'
  return `Port ${error.port ?? ''} ${what}. Set PORT to another port; 0 picks a free one.`
}
