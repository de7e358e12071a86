// The onboarding page as files: waited for while it is built, and a page that says what to do where it is not.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { SiteBuild } from '../src/platform/http/pages/built-site.ts'
import { request, until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
const { onboarding } = world.server
const before = { folder: onboarding.folder, build: onboarding.build }
onboarding.folder = await mkdtemp(join(tmpdir(), 'causeway-onboarding-'))
after(async () => {
  await rm(onboarding.folder, { recursive: true })
  Object.assign(onboarding, before)
  await world.stop()
})

const get = (path: string, accept = 'text/html') =>
  request('GET', `${world.url}${path}`, undefined, { headers: { accept } })
const page = `/onboard/onboarding_link_${'0'.repeat(26)}`

test('where the page is not built, it says how to build it; a build that failed says why', async () => {
  onboarding.build = null
  const missing = await get(page)
  assert.equal(missing.status, 404)
  assert.ok(missing.text.includes('npm run onboarding:build'))
  onboarding.build = () => ({ state: 'failed', reason: 'no <module>', command: 'npm run onboarding:build' })
  const failed = await get(page)
  assert.equal(failed.status, 404)
  assert.ok(failed.text.includes('no &lt;module&gt;'))
})

test('the first visit waits for the build, because no browser refreshes an address with a #', async () => {
  let build: SiteBuild = { state: 'building', sinceMs: performance.now() }
  let looks = 0
  onboarding.build = () => {
    looks += 1
    return build
  }
  const visit = get(page)
  await until('a second look', () => looks >= 2)
  await writeFile(join(onboarding.folder, 'index.html'), '<title>Verification</title>')
  build = { state: 'built' }
  const { status, text, headers } = await visit
  assert.deepEqual([status, text], [200, '<title>Verification</title>'])
  assert.equal(headers.get('cache-control'), 'no-store')
})

test('an address that is neither a link nor a file is not found', async () => {
  for (const path of ['/onboard/none', '/onboard/assets/none.js', '/onboard/assets/..%2Findex.html'])
    assert.equal((await get(path, 'application/json')).body.error.code, 'route_not_found', path)
})

test('a link that was damaged on its way shows the page, which says so', async () => {
  for (const path of [`${page}%23code`, `${page}code`, '/onboard/none']) {
    const shown = await get(path)
    assert.deepEqual([shown.status, shown.text], [404, '<title>Verification</title>'], path)
    assert.match(shown.headers.get('content-security-policy') ?? '', /frame-ancestors 'self'$/)
  }
})
