// `npm run check:clients`: client generators create clients from openapi.json, and each client lists the end-users of a running
// server. Verifiers in other languages verify one of its webhooks. Ends with one line of JSON; exit code 1 when one failed. The
// programs are fetched from their registries into a temporary folder. Without Go or Python, theirs are skipped.

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { startWorld, type World } from '../../../cli/src/world/world.ts'
import { forgetEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import { readOptions } from '../rig/options.ts'
import { externalUserId, generators } from './generators.ts'
import { type Check, hasCommand, type Place, type Webhook, write } from './place.ts'
import { verifiers } from './verifiers.ts'

const { only } = readOptions('check:clients', 'Lists end-users with generated clients, and verifies a webhook.', {
  only: { placeholder: 'NAME', help: 'one generator or verifier', byDefault: '', read: (name: string) => name },
})

const folder = await mkdtemp(join(tmpdir(), 'causeway-clients-'))
const home = join(folder, 'world')
const world = await startWorld({ home, port: 0, sandboxPort: 0, log: createLog('error') })
try {
  const { baseUrl, apiKey } = world.facts
  await fetch(`${baseUrl}/v0/end-users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ externalUserId }),
  })
  await fetch(`${baseUrl}/v0/end-users/${externalUserId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { plan: 'gold' } }),
  })
  const webhook = await firstWebhook(world)
  const rows: Row[] = []
  const checks = [...generators, ...verifiers].filter(({ name }) => only === '' || name === only)
  for (const [at, check] of checks.entries())
    rows.push(await tried(check, { baseUrl, apiKey, folder: join(folder, `check-${at}`) }, webhook))
  console.table(rows)
  const failed = rows.filter(({ outcome }) => outcome.startsWith('failed'))
  console.log(JSON.stringify({ check: 'clients', rows }))
  process.exitCode = failed.length > 0 || rows.length === 0 ? 1 : 0
} finally {
  await world.stop()
  await forgetEmbedded(home)
  await rm(folder, { recursive: true, force: true })
}

/** Waits for the first webhook in the inbox of the business. */
async function firstWebhook({ inboxUrl, signingSecret }: World): Promise<Webhook> {
  const endsAt = performance.now() + 10_000
  for (;;) {
    const { data } = (await (await fetch(`${inboxUrl}/messages`)).json()) as { data: Omit<Webhook, 'secret'>[] }
    const [received] = data
    if (received) return { body: received.body, headers: received.headers, secret: signingSecret }
    if (performance.now() > endsAt) throw new Error('no webhook arrived within 10 s')
    await delay(100)
  }
}

type Row = { name: string; outcome: string; seconds: number }

async function tried({ name, command, expected, run }: Check, place: Place, webhook: Webhook): Promise<Row> {
  if (!(await hasCommand(command))) return { name, outcome: `skipped: there is no ${command}`, seconds: 0 }
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10
  try {
    await mkdir(place.folder)
    await write(place, 'webhook.json', JSON.stringify(webhook))
    const printed = await run(place)
    const outcome = printed.includes(expected) ? 'passed' : `failed: it printed ${printed.slice(0, 200)}`
    return { name, outcome, seconds: seconds() }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    console.error(`${name}: ${text}`)
    return { name, outcome: `failed: ${text.slice(0, 80)}`, seconds: seconds() }
  }
}
