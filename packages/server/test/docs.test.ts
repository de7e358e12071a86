// The written pages against the code: links lead somewhere, names exist, lists are complete, the snippet works.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { listCommands } from '../../cli/src/commands/tree.ts'
import { faultModes } from '../../sandbox/src/app/faults.ts'
import { magicSuffixes } from '../../sandbox/src/bridge/customers/kyc.ts'
import { magicCents } from '../../sandbox/src/bridge/deposits/orders.ts'
import { behaviours } from '../../sandbox/src/bridge/state/behaviour.ts'
import { businessEventTypes } from '../src/events/catalogue.rules.ts'
import { settings } from '../src/platform/settings.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const site = 'docs/src/content/docs'
const pages = [
  ...globSync('*.md', { cwd: root }),
  ...globSync(['docs/README.md', 'docs/decisions/*.md', 'docs/src/content/docs/**/*.{md,mdx}'], { cwd: root }),
].toSorted()

type Schema = { enum?: string[]; items?: Schema; properties?: Record<string, Schema> }
const openapi = JSON.parse(read('packages/server/openapi.json')) as { components: { schemas: Record<string, Schema> } }

/** As the repository's host makes them. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

test('every link inside the project leads to a file and a heading that exist', () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return []
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? join(root, page) : resolve(root, dirname(page), path)
      const found = existsSync(file) && (anchor === undefined || anchorsOf(file).includes(anchor))
      return found ? [] : [`${page}: ${target}`]
    }),
  )
  assert.deepEqual(broken, [])
})

/** The pages of the site, by their addresses. */
const slugs = new Map(
  globSync('**/*.{md,mdx}', { cwd: join(root, site) }).map((path) => [
    path.replace(/\.mdx?$/, ''),
    join(root, site, path),
  ]),
)

test('every page is in the sidebar, once, and the sidebar names no other', () => {
  type Item = string | { items: Item[] }
  const leaves = (item: Item): string[] => (typeof item === 'string' ? [item] : item.items.flatMap(leaves))
  const named = (JSON.parse(read('docs/sidebar.json')) as Item[]).flatMap(leaves).filter((slug) => slug !== 'API')
  assert.deepEqual(named.toSorted(), [...slugs.keys()].toSorted())
})

test('every old address of a page leads to a page and a heading that exist', () => {
  const redirects = Object.entries(JSON.parse(read('docs/redirects.json')) as Record<string, string>)
  assert.ok(redirects.length > 0)
  for (const [from, to] of redirects) {
    assert.ok(!slugs.has(from.slice(1)), `${from} is a page`)
    const [, slug = '', anchor] = /^\/(.+)\/(?:#(.+))?$/.exec(to) ?? []
    if (slug === 'reference/api') continue
    const file = slugs.get(slug) ?? assert.fail(`${from} leads to ${to}, which is no page`)
    assert.ok(
      anchor === undefined || anchorsOf(file).includes(anchor),
      `${from} leads to ${to}, which has no such heading`,
    )
  }
})

test('every setting, script and command the pages name exists', () => {
  const known = new Set<string>([...Object.values(settings).map(({ name }) => name), ...namedElsewhere])
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const commandNames = listCommands().map(({ name }) => name)
  for (const page of pages) {
    const text = read(page)
    for (const [, name = ''] of text.matchAll(/(?:`|export |^)([A-Z]+(?:_[A-Z]+)+)(?:`|=)/gm)) {
      const isTold = page === 'CHANGELOG.md' && removedSettings.has(name)
      assert.ok(known.has(name) !== isTold, `${page} names the setting ${name}`)
    }
    for (const [, name = ''] of text.matchAll(/npm run (?:--silent )?([a-z:]+(?:-[a-z]+)*)/g)) {
      assert.ok(name in scripts, `${page} names the script ${name}`)
    }
    for (const [, command = ''] of text.matchAll(/npm run (?:--silent )?causeway -- ([a-z -]+?)(?: --|$)/gm)) {
      assert.ok(commandNames.includes(command.trim()), `${page} names the command ${command}`)
    }
  }
})

/** An operator who uses one finds it in the changelog. */
const removedSettings: ReadonlySet<string> = new Set([
  'BUSINESS_KYC_SUBMISSIONS_PER_MINUTE',
  'CONNECTIONS_PER_ADDRESS',
  'FAILED_AUTH_PER_MINUTE',
  'PG_BIN',
  'REQUEST_LOG_DAYS',
])

/** Variables of the tests, of the local world and the command line, of Node and its allocator, and of the shell on the pages. */
const namedElsewhere = [
  'ACCOUNT_ID',
  'BUILD_PAGES',
  'CAUSEWAY_ADMIN_SECRET',
  'CAUSEWAY_API_KEY',
  'CAUSEWAY_BROWSER',
  'CAUSEWAY_PYTHON',
  'CAUSEWAY_SIGNING_SECRET',
  'CAUSEWAY_URL',
  'CAUSEWAY_WIRE_REFERENCE',
  'DEPOSIT_ID',
  'ENDPOINT_ID',
  'END_USER',
  'EVENT_ORDER_RUNS',
  'LINK_ID',
  'LOG_FORMAT',
  'MALLOC_ARENA_MAX',
  'NODE_OPTIONS',
  'RECEIVER_URL',
  'SANDBOX_PORT',
  'SANDBOX_URL',
  'SIGNING_SECRET',
  'TEST_DATABASE_URL',
  'TOS_LINK',
  'TOS_ORIGIN',
  'WEBHOOK_ID',
]

test('every state and every event type is explained', () => {
  const tasks = ['onboard/statuses.mdx', 'accounts/open.mdx', 'deposits/track.mdx']
  const written = tasks.map((page) => read(`docs/src/content/docs/${page}`)).join('\n')
  const { schemas } = openapi.components
  const states = [
    schemas['KycStatus'],
    schemas['TosStatus'],
    schemas['VirtualAccountStatus'],
    schemas['DepositStatus'],
    schemas['NextActionKind'],
  ].flatMap((schema) => schema?.enum ?? assert.fail('a state is not an enumeration any more'))
  assert.deepEqual(
    states.filter((state) => !written.includes(`\`${state}\``)),
    [],
  )
  const events = read('docs/src/content/docs/reference/events.md')
  assert.deepEqual(
    businessEventTypes.filter((type) => !events.includes(`\`${type}\``)),
    [],
  )
})

test('the diagrams of statuses show every status, and describe it in words', () => {
  const page = read('docs/src/content/docs/start/how-causeway-works.md')
  for (const [name, schema] of [
    ['kyc', 'KycStatus'],
    ['deposit', 'DepositStatus'],
    ['delivery', 'DeliveryStatus'],
  ]) {
    const statuses = openapi.components.schemas[schema ?? '']?.enum ?? assert.fail(`${schema} is not an enumeration`)
    const shown = read(`docs/src/assets/${name}-statuses.svg`).matchAll(/<text [^>]*>([a-z_]+)<\/text>/g)
    const words = new Set([...shown].map(([, word]) => word))
    const [, inWords = ''] = new RegExp(`!\\[(.*)\\]\\(.*/${name}-statuses\\.svg\\)`).exec(page) ?? []
    const missing = statuses.filter((status) => !words.has(status) || !inWords.split(/[ ,.]+/).includes(status))
    assert.deepEqual(missing, [], name)
  }
})

test('the sandbox cheat sheet has every magic value of the emulator', () => {
  const page = read('docs/src/content/docs/reference/sandbox.md')
  const { schemas } = openapi.components
  const named = [
    schemas['SandboxKycDecision'],
    schemas['SandboxDepositOutcome'],
    schemas['SandboxDepositStep'],
  ].flatMap((schema) => schema?.enum ?? assert.fail('a choice of the sandbox is not an enumeration any more'))
  const values = [
    ...named,
    ...Object.keys(magicSuffixes).map((suffix) => `+${suffix}`),
    ...Object.keys(magicCents).map((cents) => `.${cents}`),
    ...faultModes,
    ...behaviours,
  ]
  assert.deepEqual(
    values.filter((value) => !page.includes(`\`${value}\``)),
    [],
  )
})

test('the signature check of /docs/reference/webhook-signatures takes what the standard’s library signs, and nothing that was changed', async () => {
  const [, code = ''] = /^```js\n(.*?)^```/ms.exec(read('docs/src/content/docs/reference/webhook-signatures.md')) ?? []
  const { isAuthentic } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    isAuthentic(headers: Record<string, string>, body: Buffer, secret: string): boolean
  }
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const body = '{"event_id":"evt_1"}'
  const headersAt = (date: Date) => ({
    'webhook-id': 'evt_1_whe_1',
    'webhook-timestamp': String(Math.floor(date.getTime() / 1000)),
    'webhook-signature': `v1,AAAA ${new Webhook(secret).sign('evt_1_whe_1', date, body)}`,
  })
  const headers = headersAt(new Date())
  assert.equal(isAuthentic(headers, Buffer.from(body), secret), true)
  assert.equal(isAuthentic(headers, Buffer.from(`${body} `), secret), false)
  assert.equal(isAuthentic({ ...headers, 'webhook-id': 'evt_2' }, Buffer.from(body), secret), false)
  assert.equal(isAuthentic(headersAt(new Date(Date.now() - 600_000)), Buffer.from(body), secret), false)
  assert.equal(isAuthentic({}, Buffer.from(body), secret), false)
})
