// `causeway open` on a deployment that is no local environment: the URL of each page, and when a browser is started.

import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { until } from '../../server/test/caller.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import { callCli } from './process.ts'

let world: World
let folder: string
let env: Record<string, string>
before(async () => {
  world = await openWorld({ alone: true })
  folder = await mkdtemp(join(tmpdir(), 'causeway-open-'))
  const { url: baseUrl, operator } = world
  env = {
    CAUSEWAY_URL: baseUrl,
    CAUSEWAY_API_KEY: world.business.apiKey,
    CAUSEWAY_ADMIN_SECRET: operator.secret,
    HOME: folder,
  }
})
after(async () => {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

test('each page has its URL, and none of them contains a key', async () => {
  const rows = [
    [[], '/console'],
    [['console'], '/console'],
    [['sandbox'], '/console/sandbox'],
    [['operator'], '/console/operator'],
    [['docs'], '/docs/'],
    [['api'], '/docs/reference/api/'],
  ] as const
  for (const [args, path] of rows) {
    const { code, stdout, stderr } = await callCli(['open', ...args], env)
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
    assert.deepEqual(JSON.parse(stdout), { url: `${world.url}${path}`, expiresInMinutes: null })
  }
})

test('the onboarding page opens by a new link of the end-user', async () => {
  assert.equal((await callCli(['end-users', 'create', '--set', 'externalUserId=ada'], env)).code, 0)
  const { code, stdout } = await callCli(['open', 'onboarding', 'ada'], env)
  assert.equal(code, 0)
  assert.match(JSON.parse(stdout).url, /\/onboard\/onboarding_link_\w+#/)
  const nobody = await callCli(['open', 'onboarding'], env)
  assert.equal(nobody.code, 2)
  assert.match(nobody.stderr, /causeway open onboarding <externalUserId>/)
})

test('a page that does not exist, or an end-user where none is used, is refused: 2', async () => {
  const { code, stderr } = await callCli(['open', 'inbox'], env)
  assert.equal(code, 2)
  assert.match(stderr, /open takes one of console, operator, sandbox, docs, api, onboarding/)
  assert.equal((await callCli(['open', 'docs', 'ada'], env)).code, 2)
})

test('at a terminal the URL is printed, and a browser starts if there is a display or BROWSER names one', async () => {
  const [program, opened] = [join(folder, 'browser'), join(folder, 'opened')]
  await writeFile(program, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`)
  await chmod(program, 0o755)
  const url = `${world.url}/docs/`
  const person = { isInteractive: true }
  assert.equal((await callCli(['open', 'docs'], env, person)).stdout, `${url}\n`)
  const { PATH = '' } = process.env
  const chosen = await callCli(['open', 'docs'], { ...env, PATH, BROWSER: program }, person)
  assert.equal(chosen.stdout, `${url}\n`)
  await until('the browser', async () => (await readFile(opened, 'utf8').catch(() => '')) === url)
})
