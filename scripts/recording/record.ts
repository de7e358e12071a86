// `npm run generate -- --record`: records a request and response of each operation in a separate local environment. Both are
// checked in. IDs, times and URLs are replaced, so that a second recording is equal.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWorld, type World } from '../../packages/cli/src/world/world.ts'
import { forgetEmbedded } from '../../packages/embedded-postgres/src/embedded.ts'
import { createLog } from '../../packages/server/src/platform/observe/log.ts'
import { filled, operationsOf, type RecordedRequest } from '../code-samples/samples.ts'
import type { JsonRecord } from '../openapi-schemas.ts'
import { stabilizer } from './stable.ts'
import { tellStory } from './story.ts'

export type Recording = { answers: JsonRecord; requests: JsonRecord }

/** Records the last request of each operation in the story, and its response. @returns both by operation id */
export async function record(document: JsonRecord): Promise<Recording> {
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
    await forgetEmbedded(home)
    await rm(home, { recursive: true, force: true })
  }
}

async function recordedIn(world: World, document: JsonRecord): Promise<Recording> {
  const startedAt = Date.now()
  const operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]))
  const recorded = new Map<string, { request: RecordedRequest; answer: unknown }>()
  await tellStory(
    { facts: world.facts, parts: world.server.deps },
    async (operationId, { key = '', ...request } = {}) => {
      const operation = operations.get(operationId)
      if (!operation) throw new Error(`there is no operation ${operationId}`)
      const { at, query, body } = request
      const path = filled(operation.path, at)
      const search = new URLSearchParams(
        Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, `${value}`]),
      )
      const response = await fetch(`${world.facts.baseUrl}${path}?${search}`, {
        method: operation.method,
        headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answer = (await response.json()) as { data: unknown }
      if (response.status !== 200) throw new Error(`${operationId}: ${response.status} ${JSON.stringify(answer)}`)
      recorded.set(operationId, { request, answer })
      return answer.data
    },
  )
  const missing = [...operations.keys()].filter((id) => !recorded.has(id))
  if (missing.length > 0) throw new Error(`Let scripts/recording/story.ts ask these, too: ${missing.join(', ')}`)
  const addresses = {
    [world.facts.baseUrl]: 'http://127.0.0.1:8080',
    [world.sandbox.url]: 'http://127.0.0.1:8081',
    [world.sandbox.url.replace('127.0.0.1', 'localhost')]: 'http://localhost:8081',
  }
  const stable = stabilizer({ startedAt, addresses })
  const ids = [...operations.keys()]
  const answers = Object.fromEntries(ids.map((id) => [id, stable(recorded.get(id)?.answer)]))
  return { answers, requests: Object.fromEntries(ids.map((id) => [id, stable(recorded.get(id)?.request)])) }
}
