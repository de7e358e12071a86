// `npm run check:clients`: client generators make clients of openapi.json, and each client lists the end-users of a running
// world. Ends with one line of JSON; exit code 1 when a generator or its client failed. The generators are fetched from their
// registries into a folder that goes at the end; without Go its generator is skipped.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { startWorld, type World } from '../../../cli/src/world/world.ts'
import { forgetEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import { readOptions } from '../rig/options.ts'
import { generators } from './generators.ts'
import { type Generator, hasCommand } from './place.ts'

const { only } = readOptions('check:clients', 'Generates clients of openapi.json and lists end-users with each.', {
  only: { placeholder: 'NAME', help: 'one generator', byDefault: '', read: (name: string) => name },
})
const externalUserId = 'user-4711'

const folder = await mkdtemp(join(tmpdir(), 'causeway-clients-'))
const home = join(folder, 'world')
const world = await startWorld({ home, port: 0, sandboxPort: 0, log: createLog('error') })
try {
  await fetch(`${world.facts.baseUrl}/v0/end-users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.facts.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ externalUserId }),
  })
  const rows: Row[] = []
  for (const generator of generators.filter(({ name }) => only === '' || name === only))
    rows.push(await tried(generator, world))
  console.table(rows)
  const failed = rows.filter(({ outcome }) => outcome.startsWith('failed'))
  console.log(JSON.stringify({ check: 'clients', generators: rows }))
  process.exitCode = failed.length > 0 || rows.length === 0 ? 1 : 0
} finally {
  await world.stop()
  await forgetEmbedded(home)
  await rm(folder, { recursive: true, force: true })
}

type Row = { name: string; outcome: string; seconds: number }

async function tried({ name, command, run }: Generator, { facts }: World): Promise<Row> {
  if (!(await hasCommand(command))) return { name, outcome: `skipped: there is no ${command}`, seconds: 0 }
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10
  try {
    const listed = await run({ ...facts, folder: join(folder, name) })
    const outcome = listed.includes(externalUserId) ? 'listed' : `failed: it listed ${listed.slice(0, 200)}`
    return { name, outcome, seconds: seconds() }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    console.error(`${name}: ${text}`)
    return { name, outcome: `failed: ${text.slice(0, 80)}`, seconds: seconds() }
  }
}
