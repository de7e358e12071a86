// `npm run console-scale`: every list of the console, and a search in each, on a database of 100,000 end-users, accounts and deposits
// and a million events, in a real browser. Ends with one line of JSON; exit code 1 when the server took longer than it may for a
// request, a page its first paint, or a first page more bytes.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { forgetEmbedded, startEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import { createBusiness } from '../../../server/src/businesses/service.ts'
import { openDatabase } from '../../../server/src/platform/postgres/db.ts'
import { seedRows } from '../list-plans/seed.ts'
import { openDeployment } from '../relay-world/deployment.ts'
import { readOptions, wholeNumber } from '../rig/options.ts'
import { measurePage, type PageFigures, signIn } from './measure-page.ts'

const limits = { serverMs: 300, paintMs: 1_000, kB: 250 }

const {
  events,
  objects,
  browser: browserPath,
} = readOptions('console-scale', 'Times the lists of the console on a database with many rows.', {
  events: wholeNumber('events, deliveries and requests', 1_000_000, 1_000),
  objects: wholeNumber('end-users, accounts and deposits', 100_000, 1_000),
  browser: { placeholder: 'PATH', help: 'Chromium', byDefault: '/usr/bin/chromium', read: (text: string) => text },
})

/** Lists and searches, with what the seed has made. */
const businessPaths = [
  '/',
  '/end-users',
  '/end-users?q=user-77',
  '/end-users?status=rejected',
  '/accounts',
  '/accounts?status=active',
  '/deposits',
  '/deposits?q=dep_0000000000000000990',
  '/deposits?status=in_review',
  '/events',
  '/events?eventType=virtual_account.payment.received',
  '/events?externalUserId=user-99999',
  '/webhooks',
  '/developers/requests',
  '/developers/audit',
  '/developers/keys',
  '/webhooks/deliveries',
  '/webhooks/deliveries?status=delivered',
]
const operatorPaths = ['/operator', '/operator/businesses', '/operator/businesses?q=Business%2012']

async function run(stack: AsyncDisposableStack): Promise<PageFigures[]> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-console-scale-'))
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const postgres = await startEmbedded({ home, durable: false })
  stack.defer(async () => {
    await postgres.stop()
    await forgetEmbedded(home)
  })
  const deployment = stack.use(await openDeployment(postgres.connection, { RATE_LIMIT_REQUESTS: '1000000' }))
  // Without its loops: they would drop requests that are older than a week.
  const served = stack.use(await deployment.serve({}, {}, ['--only', 'api']))
  const db = openDatabase(postgres.connection, { poolMax: 2, waitMs: 3_600_000 })
  stack.defer(() => db.close())
  const open = async (name: string) => (await createBusiness(deployment.deps, { name })).id
  const businesses = { large: await open('Large'), small: await open('Small') }
  await seedRows(db, businesses, { rows: events, objects, part: null }, (line) => console.log(line))
  const { adminSecret } = deployment.deps.config
  const issued = await fetch(`${served.url}/v0/customers/${businesses.large}/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'console' }),
  })
  const { data } = (await issued.json()) as { data: { key: string } }
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--headless', '--no-sandbox'],
  })
  stack.defer(() => browser.close())
  const figures: PageFigures[] = []
  for (const [credential, paths] of [
    [{ apiKey: data.key }, businessPaths],
    [{ adminSecret }, operatorPaths],
  ] as const) {
    const cookies = await signIn(browser, served.url, credential)
    // A server that has just begun still opens its connections to the database: 370 ms once in place of 90.
    await measurePage(browser, served.url, paths[0] ?? '/', cookies)
    for (const path of paths) {
      const one = await measurePage(browser, served.url, path, cookies)
      console.log(
        `${path.padEnd(42)} server ${String(one.serverMs).padStart(4)} ms  paint ${String(one.paintMs).padStart(4)} ms  ${String(one.kB).padStart(4)} kB  ${one.slowest}`,
      )
      figures.push(one)
    }
  }
  return figures
}

const stack = new AsyncDisposableStack()
try {
  const figures = await run(stack)
  const faults = figures.flatMap(({ path, ...one }) =>
    (['serverMs', 'paintMs', 'kB'] as const)
      .filter((name) => one[name] > limits[name])
      .map((name) => `${path}: ${name} ${one[name]} is above ${limits[name]}`),
  )
  for (const { path, slowest } of figures) if (slowest === '') faults.push(`${path} asked the API for nothing`)
  for (const fault of faults) console.error(`console-scale: ${fault}`)
  const most = (name: keyof typeof limits) => Math.max(...figures.map((one) => one[name]))
  const worst = { serverMs: most('serverMs'), paintMs: most('paintMs'), kB: most('kB') }
  console.log(JSON.stringify({ events, objects, pages: figures.length, ...worst, faults: faults.length }))
  if (faults.length > 0) process.exitCode = 1
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await stack.disposeAsync()
}
process.exit()
