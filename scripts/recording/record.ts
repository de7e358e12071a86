// `npm run generate -- --record`: one answer of each operation, recorded from a world of its own. The answers are checked in,
// with ids, times and addresses that a second recording gives again.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWorld, type World } from '../../packages/cli/src/world/world.ts'
import { forgetEmbedded } from '../../packages/embedded-postgres/src/embedded.ts'
import { createLog } from '../../packages/server/src/platform/observe/log.ts'
import { isRecord, type JsonRecord } from '../openapi-schemas.ts'
import { stabilizer } from './stable.ts'
import { tellStory } from './story.ts'

/** What an operation is asked: `at` stands in its path, and `key` is that of the story's business unless it is given. */
export type Asked = { at?: string; query?: string; body?: unknown; key?: string }

/** Asks an operation by its id. @returns the `data` of the answer @throws Error when the answer is not 200 */
// biome-ignore lint/suspicious/noExplicitAny: the story reads what it has just asked for
export type Ask = (operationId: string, asked?: Asked) => Promise<any>

/** Records the last answer of each operation in the story. @returns them by operation id */
export async function recordAnswers(document: JsonRecord): Promise<JsonRecord> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-recording-'))
  try {
    const world = await startWorld({
      home,
      port: 0,
      sandboxPort: 0,
      log: createLog('error'),
      sandboxArgs: ['--kyc-decision-ms', '500', '--deposit-step-ms', '400'],
    })
    try {
      return await recordedIn(world, document)
    } finally {
      await world.stop()
    }
  } finally {
    await forgetEmbedded(home, { binaries: undefined })
    await rm(home, { recursive: true, force: true })
  }
}

async function recordedIn(world: World, document: JsonRecord): Promise<JsonRecord> {
  const startedAt = Date.now()
  const operations = operationsOf(document)
  const recorded = new Map<string, unknown>()
  await tellStory(world, async (operationId, { at = '', query = '', body, key = '' } = {}) => {
    const operation = operations.get(operationId)
    if (!operation) throw new Error(`there is no operation ${operationId}`)
    const path = operation.path.replace(/\{\w+\}/, encodeURIComponent(at))
    const response = await fetch(`${world.facts.baseUrl}${path}${query}`, {
      method: operation.method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { data: unknown }
    if (response.status !== 200) throw new Error(`${operationId}: ${response.status} ${JSON.stringify(answer)}`)
    recorded.set(operationId, answer)
    return answer.data
  })
  const missing = [...operations.keys()].filter((id) => !recorded.has(id))
  if (missing.length > 0) throw new Error(`Let scripts/recording/story.ts ask these, too: ${missing.join(', ')}`)
  const addresses = {
    [world.facts.baseUrl]: 'http://127.0.0.1:8080',
    [world.sandbox.url]: 'http://127.0.0.1:8081',
    [world.sandbox.url.replace('127.0.0.1', 'localhost')]: 'http://localhost:8081',
  }
  const stable = stabilizer({ startedAt, addresses })
  return Object.fromEntries([...operations.keys()].map((id) => [id, stable(recorded.get(id))]))
}

function operationsOf({ paths }: JsonRecord): Map<string, { method: string; path: string }> {
  const found = new Map<string, { method: string; path: string }>()
  for (const [path, item] of Object.entries(isRecord(paths) ? paths : {}))
    for (const [method, operation] of Object.entries(isRecord(item) ? item : {}))
      if (isRecord(operation)) found.set(String(operation['operationId']), { method: method.toUpperCase(), path })
  return found
}
