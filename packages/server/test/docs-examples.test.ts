// A reader follows the banner, the quickstart and the pages of docs one after the other: what one of them made must not stand in
// the way of the next, and its examples end well.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { after, test } from 'node:test'
import { newUser, testWorld, until } from './test-world.ts'

const world = await testWorld()
after(() => world.stop())

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): Promise<string> => readFile(resolve(root, path), 'utf8')
const reference = async () => {
  const html = await (await fetch(`${world.facts.baseUrl}/docs`)).text()
  return html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}

test('no e-mail address stands in two of banner, README and pages: the provider takes each once', async () => {
  // events.md shows the very events that /docs shows; nobody sends those.
  const pages = (await readdir(resolve(root, 'docs'))).filter((name) => name.endsWith('.md') && name !== 'events.md')
  const texts = new Map([
    ['banner', await read('packages/cli/src/dev.ts')],
    ['README', await read('README.md')],
    ['/docs', await reference()],
    ...(await Promise.all(pages.map(async (name) => [name, await read(`docs/${name}`)] as const))),
  ])
  const found = [...texts].flatMap(([place, text]) =>
    [...new Set(text.match(/[\w.+-]+@example\.com/g))].map((address) => ({ address, place })),
  )
  assert.ok(found.length >= 4, 'there are examples')
  for (const [address, places] of Map.groupBy(found, (one) => one.address))
    assert.equal(places.length, 1, `${address} stands in ${places.map(({ place }) => place).join(' and ')}`)
})

test('the KYC example of /docs ends in approved', async () => {
  const [, example = ''] = /submit-kyc"[^']*-d '(\{.*?\n {2}\})'/s.exec(await reference()) ?? []
  const externalUserId = await newUser(world)
  const path = `/v0/end-users/${externalUserId}`
  assert.equal((await world.call('POST', `${path}/submit-kyc`, JSON.parse(example))).status, 200)
  await until('a verdict', async () => (await world.call('GET', path)).body.data.kycStatus !== 'under_review')
  assert.equal((await world.call('GET', path)).body.data.kycStatus, 'approved')
})
