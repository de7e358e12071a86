// Calls one operation with what the command line gives.

import { readFile } from 'node:fs/promises'
import { Transport } from '../../../../sdk/src/core/request.ts'
import { operations } from '../../../../sdk/src/generated/operations.gen.ts'
import type { OperationId } from '../../../../sdk/src/index.ts'
import { isJsonObject, type JsonObject } from '../../../../server/src/platform/values/json.ts'
import { type Context, UsageError } from '../../command.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { show } from '../../output/show.ts'
import { requireAdminSecret, requireKey, resolveTarget } from '../../profile/resolve.ts'
import { assign } from './assign.ts'

/** @throws ApiError, UsageError, NotSignedIn */
export async function callOperation(
  id: OperationId,
  params: readonly string[],
  queryNames: readonly string[],
  context: Context,
): Promise<number> {
  const { method, path, keyed, auth } = operations[id]
  const { args, flags, terminal } = context
  const body = await bodyOf(context)
  const target = await resolveTarget(context)
  const apiKey = auth === 'operator' ? requireAdminSecret(target) : requireKey(target)
  const query = Object.fromEntries(queryNames.map((name) => [name, flags[name]]))
  if (flags['failed']) query['status'] = 'exhausted'
  const idempotencyKey = flags['idempotencyKey']
  const { data, nextCursor } = await new Transport({ baseUrl: target.baseUrl, apiKey }).send(
    { method, path, keyed, params: Object.fromEntries(params.map((name, at) => [name, args[at] ?? ''])), query, body },
    typeof idempotencyKey === 'string' ? { idempotencyKey } : {},
  )
  show(context, data)
  if (nextCursor !== null) terminal.complain(`More: --cursor ${nextCursor}`)
  return exitCodes.done
}

async function bodyOf({ flags, terminal }: Context): Promise<JsonObject | undefined> {
  const { data, set } = flags
  if (data === undefined && set === undefined) return undefined
  const body = data === undefined ? {} : parsedBody(await textOf(String(data), terminal.readInput))
  for (const assignment of Array.isArray(set) ? set : []) assign(body, assignment)
  return body
}

async function textOf(data: string, readInput: (() => Promise<Buffer>) | undefined): Promise<string> {
  if (data === '-') return String((await readInput?.()) ?? '')
  if (!data.startsWith('@')) return data
  return await readFile(data.slice(1), 'utf8').catch(() => {
    throw new UsageError(`--data names a file that cannot be read: ${data.slice(1)}`)
  })
}

function parsedBody(text: string): JsonObject {
  try {
    const body: unknown = JSON.parse(text)
    if (isJsonObject(body)) return body
  } catch {}
  throw new UsageError('--data is a JSON object, such as \'{"externalUserId":"ada"}\', or @file, or -')
}
