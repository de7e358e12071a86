// PUT /v0/branding

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/branding'
const put = (body: unknown, key?: string) => call('PUT', path, body, key === undefined ? {} : { key })
const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('200 what is set is shown, what is left out is as by default, and no other business sees it', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const set = {
    name: 'Nubia Pay',
    logo: png,
    colors: { primary: '#1d4ed8', background: '#ffffff', text: '#111827' },
    supportEmail: 'help@nubia.example',
    privacyUrl: 'https://nubia.example/privacy',
    embedOrigins: ['https://app.nubia.example', 'http://localhost:3000'],
  }
  const answer = await put(set, key)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body.data, set)
  assert.deepEqual((await call('GET', path, undefined, { key })).body.data, set)
  const { data } = (await put({ supportEmail: 'help@nubia.example' }, key)).body
  assert.deepEqual([data.name, data.logo, data.supportEmail], ['Another business', null, 'help@nubia.example'])
  assert.notEqual((await call('GET', path)).body.data.supportEmail, 'help@nubia.example')
})

test('400 colors that cannot be read: the answer tells the contrast', async () => {
  const answer = await put({ colors: { primary: '#fde68a', text: '#777777' } })
  assertError(answer, 400, 'invalid_branding')
  const params = answer.body.error.details.map(({ param }: { param: string }) => param)
  assert.deepEqual(params, ['colors.text', 'colors.primary'])
  assert.match(answer.body.error.details[0].message, /4\.4:1/)
})

test('200 a logo of just the size that a logo may have', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const bytes = Buffer.concat([Buffer.from(png.split(',')[1] ?? '', 'base64'), Buffer.alloc(65_536)]).subarray(
    0,
    65_536,
  )
  const logo = (size: Buffer) => `data:image/png;base64,${size.toString('base64')}`
  assert.equal((await put({ logo: logo(bytes) }, key)).status, 200)
  assertError(await put({ logo: logo(Buffer.concat([bytes, Buffer.alloc(1)])) }, key), 400, 'invalid_branding')
})

test('400 a logo that is none, is a script, or is too large; addresses that are none', async () => {
  const svg = `data:image/svg+xml;base64,${Buffer.from('<svg onload="alert(1)"/>').toString('base64')}`
  for (const [body, param] of [
    [{ logo: svg }, 'logo'],
    [{ logo: svg.replace('svg+xml', 'png') }, 'logo'],
    [{ logo: 'https://nubia.example/logo.png' }, 'logo'],
    [{ logo: `${png.slice(0, 40)}${'A'.repeat(90_000)}` }, 'logo'],
    [{ privacyUrl: 'javascript:alert(1)' }, 'privacyUrl'],
    [{ embedOrigins: ['https://app.example.com/path'] }, 'embedOrigins.0'],
    [{ embedOrigins: ['https://app.example.com', '*'] }, 'embedOrigins.1'],
    [{ embedOrigins: ['https://*'] }, 'embedOrigins.0'],
    [{ embedOrigins: ['https://*.com'] }, 'embedOrigins.0'],
    [{ embedOrigins: ['https://app.*.com'] }, 'embedOrigins.0'],
    [{ embedOrigins: ['https://app..com'] }, 'embedOrigins.0'],
    [{ embedOrigins: ['http://app.example.com'] }, 'embedOrigins.0'],
    [{ embedOrigins: ["https://app.example.com; script-src 'unsafe-inline'"] }, 'embedOrigins.0'],
  ] as const) {
    const answer = await put(body)
    assertError(answer, 400, 'invalid_branding')
    assert.equal(answer.body.error.details[0].param, param, JSON.stringify(body))
  }
  for (const [body, code, param] of [
    [{ name: 'a\u0000b' }, 'invalid_format', 'name'],
    [{ colors: { primary: 'red' } }, 'invalid_format', 'colors.primary'],
    [{ colors: { accent: '#000000' } }, 'unknown_field', 'colors.accent'],
    [{ supportEmail: 'nobody' }, 'invalid_format', 'supportEmail'],
  ] as const)
    assertError(await put(body), 400, code, { param })
})
