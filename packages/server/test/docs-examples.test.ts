// A reader follows the banner, the quickstart and the pages of docs one after the other: objects from one page must not
// break the next, and all examples succeed.

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { after, test } from 'node:test'
import { until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): Promise<string> => readFile(resolve(root, path), 'utf8')
type Sample = { label: string; source: string }
const { paths } = JSON.parse(await read('packages/server/openapi.json')) as {
  paths: Record<string, Record<string, { 'x-codeSamples': readonly Sample[] }>>
}
const samples = Object.values(paths).flatMap((item) => Object.values(item).flatMap((one) => one['x-codeSamples']))

test('no e-mail address stands in two of banner, README and pages: the provider takes each once', async () => {
  // Nobody sends the events of events.md.
  const pages = globSync('docs/src/content/docs/**/*.{md,mdx}', { cwd: root }).filter(
    (path) => !path.endsWith('events.md'),
  )
  const texts = new Map([
    ['banner', await read('packages/cli/src/dev.ts')],
    ['README', await read('README.md')],
    ['the reference', samples.map(({ source }) => source).join('\n')],
    ...(await Promise.all(pages.map(async (path) => [path, await read(path)] as const))),
  ])
  const found = [...texts].flatMap(([place, text]) =>
    [...new Set(text.match(/[\w.+-]+@example\.com/g))].map((address) => ({ address, place })),
  )
  assert.ok(found.length >= 3, 'there are examples')
  for (const [address, places] of Map.groupBy(found, (one) => one.address))
    assert.equal(places.length, 1, `${address} stands in ${places.map(({ place }) => place).join(' and ')}`)
})

test('the KYC example of the reference ends in approved', async () => {
  const sample = samples.find(({ label, source }) => label === 'curl' && source.includes('/submit-kyc"'))
  const [, example = ''] = / -d '(\{.*\})'/s.exec(sample?.source ?? '') ?? []
  const externalUserId = await world.business.user()
  const path = `/v0/end-users/${externalUserId}`
  assert.equal((await world.business.call('POST', `${path}/submit-kyc`, JSON.parse(example))).status, 200)
  await until('a verdict', async () => (await world.business.call('GET', path)).body.data.kycStatus !== 'under_review')
  assert.equal((await world.business.call('GET', path)).body.data.kycStatus, 'approved')
})
