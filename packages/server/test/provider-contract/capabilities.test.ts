// The page "Provider capabilities" agrees with each adapter.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createBridge } from '../../src/provider/bridge/bridge.ts'
import { assertExplained, readCapabilities } from './capabilities.ts'

const bridge = createBridge({ baseUrl: 'http://127.0.0.1:1/v0', apiKey: 'none', isEmulated: true })
after(() => bridge.close())

const column = (heading: string) =>
  Object.fromEntries([...readCapabilities(heading)].map(([name, cells]) => [name, cells['Bridge'] ?? '']))

/** In every adapter, or with a separate table. */
const always = new Set(['kind', 'traits', 'offer', 'customers', 'accounts', 'events'])
/** Members of parts that may be null on their own. */
const inner = {
  terms: ['linkOfCustomer', 'withReturn'],
  hostedKyc: ['createForNew', 'readPage'],
  deposits: ['ofAll'],
} as const

const state = (value: unknown) => (value === null ? 'null' : 'yes')

test('each part that may be null is in the table, as the adapter has it', () => {
  const parts = Object.entries(bridge).flatMap(([name, part]: [string, unknown]) => {
    if (always.has(name) || typeof part === 'function') return []
    const own = name === 'deposits' ? [] : [[name, state(part)]]
    const members = Object.hasOwn(inner, name) ? inner[name as keyof typeof inner] : []
    const values = isRecord(part) ? part : {}
    return [...own, ...members.map((member) => [`${name}.${member}`, state(values[member])])]
  })
  assert.deepEqual(column('Parts'), Object.fromEntries(parts))
  for (const [name = ''] of parts) assertExplained(name)
})

test('the traits, the repeats and the offer are those of the adapter', () => {
  const { repeats, pageOrigins: _, canChange, ...traits } = bridge.traits
  const changes = Object.entries(canChange).map(([name, value]) => [`canChange.${name}`, value])
  const written = Object.entries({ ...traits, ...Object.fromEntries(changes) })
  assert.deepEqual(column('Traits'), Object.fromEntries(written.map(([name, value]) => [name, String(value)])))
  assert.deepEqual(column('Repeats of writes'), { ...repeats })
  const offer = Object.entries(bridge.offer.fiat).map(([name, { depositRails }]) => [name, depositRails.join(', ')])
  assert.deepEqual(column('Offer'), Object.fromEntries(offer))
})

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
