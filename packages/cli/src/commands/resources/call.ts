// Calls one operation with the arguments and options of the command line.

import { readFile } from 'node:fs/promises'
import { Transport } from '../../../../sdk/src/core/request.ts'
import { operations } from '../../../../sdk/src/generated/operations.gen.ts'
import type { OperationId } from '../../../../sdk/src/index.ts'
import { isJsonObject, type JsonObject } from '../../../../server/src/platform/values/json.ts'
import { type Context, UsageError } from '../../command.ts'
import { namesDatabase } from '../../deployment.ts'
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
  const query = Object.fromEntries(queryNames.map((name) => [name, flags[name]]))
  if (flags['failed']) query['status'] = 'exhausted'
  const idempotencyKey = flags['idempotencyKey']
  const { data, nextCursor } = await withServer(auth, context, (server) =>
    new Transport(server).send(
      {
        method,
        path,
        keyed,
        params: Object.fromEntries(params.map((name, at) => [name, args[at] ?? ''])),
        query,
        body,
      },
      typeof idempotencyKey === 'string' ? { idempotencyKey } : {},
    ),
  )
  show(context, data)
  if (nextCursor !== null) terminal.complain(`More: --cursor ${nextCursor}`)
  return exitCodes.done
}

type Server = { baseUrl: string; apiKey: string }

/**
 * If the environment has a database but no server, the operator works on that database, for example to create the first business.
 */
async function withServer<Result>(
  auth: string,
  context: Context,
  call: (server: Server) => Promise<Result>,
): Promise<Result> {
  const { env, flags } = context
  const isNamed = flags['baseUrl'] !== undefined || flags['profile'] !== undefined || Boolean(env['CAUSEWAY_URL'])
  if (auth === 'operator' && !isNamed && namesDatabase(env)) {
    const { throughOwnServer } = await import('../../operator/on-database.ts')
    return await throughOwnServer(env, ({ baseUrl, adminSecret }) => call({ baseUrl, apiKey: adminSecret }))
  }
  const target = await resolveTarget(context)
  return await call({
    baseUrl: target.baseUrl,
    apiKey: auth === 'operator' ? requireAdminSecret(target) : requireKey(target),
  })
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
    throw new UsageError(`--data: the file ${data.slice(1)} cannot be read`)
  })
}

function parsedBody(text: string): JsonObject {
  try {
    const body: unknown = JSON.parse(text)
    if (isJsonObject(body)) return body
  } catch {}
  throw new UsageError('--data takes a JSON object, such as \'{"externalUserId":"ada"}\', or @file, or -')
}
