// What an answer may be: declared, in the declared shape, never 5xx, and without an echo of the request.

import {
  type Answer,
  assertDeclared,
  assertErrorShape,
  type Operation,
  operationAt,
} from '../../../server/test/caller.ts'
import { echoIn } from '../fuzz/marks.ts'
import { allowsBody } from './requests/described.ts'
import type { Made } from './requests/requests.ts'
import type { Sent } from './requests/wire.ts'

export type FindingKind = 'serverError' | 'schemaBreak' | 'echo' | 'modelBreak'
export type Finding = { kind: FindingKind; what: string }

export function judge(made: Pick<Made, 'sent' | 'expects'>, answer: Answer): Finding[] {
  const found: Finding[] = []
  const add = (kind: FindingKind, what: string): void => void found.push({ kind, what })
  const { sent, expects } = made
  const operation = operationOf(sent)
  if (answer.status >= 500) add('serverError', `answered ${answer.status}: ${answer.text.slice(0, 300)}`)
  const broken = breakOf(operation, sent, answer)
  if (broken !== null) add('schemaBreak', broken)
  const echoed = echoOf(answer)
  if (echoed !== null) add('echo', echoed)
  if (operation && expects && !expects.includes(answer.status) && answer.status !== 431)
    add('modelBreak', `answered ${answer.status}, not ${expects.join(' or ')}: ${answer.text.slice(0, 300)}`)
  return found
}

function operationOf({ method, path }: Sent): Operation | null {
  try {
    return operationAt(method, path)
  } catch {
    return null
  }
}

function breakOf(operation: Operation | null, sent: Sent, answer: Answer): string | null {
  const type = answer.headers.get('content-type') ?? ''
  try {
    if (answer.headers.has('x-injected')) return 'a header was injected'
    if (!answer.headers.has('x-request-id')) return 'no X-Request-Id'
    if (answer.status === 431) assertHasError(answer)
    else if (type.startsWith('application/problem+json')) assertProblem(operation, answer)
    else if (operation) assertDeclared(operation, answer)
    else if (answer.status >= 400 && sent.method !== 'HEAD') assertErrorShape(answer)
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 900) : String(error)
  }
  if (operation && answer.status === 200 && takesWhatIsForbidden(operation, sent))
    return 'took a body that openapi.json does not allow'
  return null
}

/** Too large headers never become a request, so no operation declares this. */
function assertHasError({ body }: Answer): void {
  if (typeof body?.error?.code !== 'string') throw new Error('431 without an error body')
}

function assertProblem(operation: Operation | null, { status, body }: Answer): void {
  if (operation && !operation.statuses.includes(status))
    throw new Error(`${operation.id} answered ${status}, which it does not declare`)
  for (const member of ['type', 'title', 'detail', 'code', 'requestId'])
    if (typeof body?.[member] !== 'string') throw new Error(`a problem without ${member}`)
  if (body.status !== status) throw new Error('a problem with another status than its answer')
}

function takesWhatIsForbidden(operation: Operation, { body, headers }: Sent): boolean {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  if (operation.body === null || body === null || !type.toLowerCase().startsWith('application/json')) return false
  try {
    return body.length > 0 && !allowsBody(operation, JSON.parse(new TextDecoder().decode(body)))
  } catch {
    return true
  }
}

function echoOf(answer: Answer): string | null {
  const all = `${[...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n${answer.text}`
  return echoIn(all, answer.status >= 400 ? 'anything' : 'identity')
}
