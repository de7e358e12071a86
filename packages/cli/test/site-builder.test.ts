// The local environment builds its pages in the background, or on request. These tests use a separate checkout with a fast build.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../../server/test/caller.ts'
import { buildInBackground } from '../src/world/pages.ts'
import { consoleBuilder, docsBuilder, onboardingBuilder } from '../src/world/site-builder.ts'
import { isAlive } from './process.ts'

const folder = await mkdtemp(join(tmpdir(), 'causeway-docs-'))
after(() => rm(folder, { recursive: true, force: true }))
const env = { PATH: process.env['PATH'] ?? '' }

/** A checkout with one page, and a script that builds it. */
async function checkout(name: string, script: string): Promise<string> {
  const root = join(folder, name)
  await mkdir(join(root, 'docs/src'), { recursive: true })
  await mkdir(join(root, 'scripts'))
  await writeFile(join(root, 'docs/astro.config.mjs'), '')
  await writeFile(join(root, 'docs/src/page.md'), '# A page')
  await writeFile(join(root, 'scripts/build-docs.js'), script)
  return root
}

const building = `
  const { mkdirSync, writeFileSync } = require('node:fs')
  mkdirSync('docs/dist', { recursive: true })
  writeFileSync('docs/dist/script-hashes.json', '[]')`

test('the first visit begins a build, the next ones wait for it; it is built again only for pages that are newer', async () => {
  const root = await checkout('good', building)
  const builder = docsBuilder(env, root)
  assert.equal(builder.build().state, 'building')
  await until('the site', () => builder.build().state === 'built')
  assert.equal(docsBuilder(env, root).build().state, 'built')
  const later = new Date(Date.now() + 60_000)
  await utimes(join(root, 'docs/src/page.md'), later, later)
  const again = docsBuilder(env, root)
  assert.equal(again.build().state, 'building')
  await until('the new site', () => again.build().state === 'built')
})

test('the console and the onboarding page are built each by its own name', async () => {
  const root = join(folder, 'pages')
  const builders = { console: consoleBuilder, onboarding: onboardingBuilder }
  for (const name of Object.keys(builders)) {
    await mkdir(join(root, `packages/${name}/src`), { recursive: true })
    await writeFile(join(root, `packages/${name}/vite.config.ts`), '')
  }
  await mkdir(join(root, 'scripts'))
  await writeFile(
    join(root, 'scripts/build-pages.js'),
    `const { mkdirSync, writeFileSync } = require('node:fs')
    const dist = 'packages/' + process.argv[2] + '/dist'
    mkdirSync(dist)
    writeFileSync(dist + '/index.html', '')`,
  )
  for (const [name, make] of Object.entries(builders)) {
    const builder = make(env, root)
    assert.equal(builder.build().state, 'building', name)
    await until(name, () => builder.build().state === 'built')
    assert.equal(make(env, root).build().state, 'built', name)
  }
})

test('a build that fails tells why and what to type, and is not tried at each visit', async () => {
  const root = await checkout('bad', `console.error('npm error network'); process.exit(1)`)
  const builder = docsBuilder(env, root)
  builder.build()
  await until('the failure', () => builder.build().state === 'failed')
  assert.deepEqual(builder.build(), { state: 'failed', reason: 'npm error network', command: 'npm run docs:build' })
})

test('the end of the world ends the build and what it has started; outside of a checkout there is none', async () => {
  const root = await checkout(
    'slow',
    `const { spawn } = require('node:child_process')
    const { writeFileSync } = require('node:fs')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
    writeFileSync('pids.tmp', process.pid + ' ' + child.pid)
    require('node:fs').renameSync('pids.tmp', 'pids')
    setInterval(() => {}, 1000)`,
  )
  const builder = docsBuilder(env, root)
  builder.build()
  const read = () => readFile(join(root, 'pids'), 'utf8').catch(() => '')
  await until('both processes', async () => (await read()) !== '')
  const pids = (await read()).split(' ').map(Number)
  assert.ok(pids.every(isAlive))
  await builder.stop()
  await until('the end of both', () => !pids.some(isAlive))
  assert.equal(docsBuilder(env, join(folder, 'nowhere')).build().state, 'built')
})

test('pages that are missing are built in the background, one after the other, with a line for each that is ready', async () => {
  const root = await checkout('background', building)
  const builder = docsBuilder(env, root)
  const lines: string[] = []
  const pages = [
    { name: 'documentation', url: 'http://127.0.0.1:8080/docs/', builder },
    { name: 'second', url: null, builder: docsBuilder(env, await checkout('background-bad', 'process.exit(1)')) },
  ]
  const background = buildInBackground(pages, (line) => lines.push(line))
  await until('both ends', () => lines.length === 2)
  assert.deepEqual(lines, [
    '  The documentation is ready: http://127.0.0.1:8080/docs/',
    '  The second was not built. See why: npm run docs:build',
  ])
  await background.stop()
  const again = buildInBackground([{ name: 'documentation', url: null, builder: docsBuilder(env, root) }], assert.fail)
  await again.stop()
})

test('a stop in the middle of a background build ends it, begins no other, and says nothing', async () => {
  const root = await checkout('stopped', `require('node:fs').writeFileSync('begun', ''); setInterval(() => {}, 1000)`)
  const builders = [docsBuilder(env, root), docsBuilder(env, await checkout('never-begun', building))]
  const background = buildInBackground(
    builders.map((builder) => ({ name: 'documentation', url: null, builder })),
    assert.fail,
  )
  await until('the build', () => existsSync(join(root, 'begun')))
  await background.stop()
  assert.ok(!existsSync(join(folder, 'never-begun/docs/dist')))
})
