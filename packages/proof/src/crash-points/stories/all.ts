// Every write path there is: each operation of openapi.json that writes has at least one story, or the run fails.

import { readFileSync } from 'node:fs'
import { accountStories } from './accounts.ts'
import { alertStories } from './alerts.ts'
import { businessStories } from './businesses.ts'
import { consoleStories } from './console.ts'
import { endUserStories } from './end-users.ts'
import { ingestStories } from './ingest.ts'
import { leverStories } from './levers.ts'
import { loopStories } from './loops.ts'
import { onboardingStories } from './onboarding.ts'
import { signInStories } from './sign-in.ts'
import type { Story } from './story.ts'
import { webhookStories } from './webhooks.ts'

const described = new URL('../../../../server/openapi.json', import.meta.url)
const writes: ReadonlySet<string> = new Set(['post', 'put', 'patch', 'delete'])

const stories: readonly Story[] = [
  ...endUserStories,
  ...accountStories,
  ...webhookStories,
  ...businessStories,
  ...alertStories,
  ...consoleStories,
  ...signInStories,
  ...onboardingStories,
  ...ingestStories,
  ...loopStories,
  ...leverStories,
]

/** @throws Error with the operations that have no story, and the stories whose operation is gone */
export function allStories(): readonly Story[] {
  const operations = writingOperations()
  const told = new Set(stories.flatMap(({ operation }) => operation ?? []))
  const untold = operations.filter((id) => !told.has(id))
  const gone = [...told].filter((id) => !operations.includes(id))
  if (untold.length > 0) throw new Error(`tell in crash-points/stories what becomes of: ${untold.join(', ')}`)
  if (gone.length > 0) throw new Error(`openapi.json has no operation that writes named: ${gone.join(', ')}`)
  return stories
}

function writingOperations(): string[] {
  const { paths } = JSON.parse(readFileSync(described, 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  return Object.values(paths).flatMap((methods) =>
    Object.entries(methods).flatMap(([method, { operationId }]) => (writes.has(method) ? [operationId] : [])),
  )
}
