// The page about the command line: it has every command, and its world is made. That every command runs is in every-command.test.ts.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openWorld, type World } from '../../server/test/world.ts'
import { listCommands } from '../src/commands/tree.ts'
import { callCli } from './process.ts'

const path = join(import.meta.dirname, '../../../docs/src/content/docs/reference/command-line.md')
const page = await readFile(path, 'utf8')

let world: World
let folder: string
let env: Record<string, string>
before(async () => {
  world = await openWorld({ alone: true })
  folder = await mkdtemp(join(tmpdir(), 'causeway-documented-'))
  const { url: baseUrl } = world
  const { apiKey } = world.business
  env = { CAUSEWAY_URL: baseUrl, CAUSEWAY_API_KEY: apiKey, HOME: folder }
})
after(async () => {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

test('the page has every command, with an example of it', () => {
  for (const { name, examples } of listCommands())
    assert.ok(page.includes(`| \`${name}\` |`) && page.includes(`\`causeway ${examples[0]}\``), name)
})

test('the world that the page shows is made once', async () => {
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
  const file = join(folder, 'world.yml')
  await writeFile(file, text)
  for (const outcome of ['created', 'unchanged']) {
    const { code, stdout, stderr } = await callCli(['fixtures', 'apply', file, '--json'], env)
    assert.equal(code, 0, stderr)
    const { steps } = JSON.parse(stdout)
    assert.deepEqual([...new Set(steps.map((step: { outcome: string }) => step.outcome))], [outcome])
  }
})
