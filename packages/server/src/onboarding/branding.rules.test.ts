// Which colors can be read, which logos are pictures, and which texts are the origin of a site.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  buttonTextOn,
  contrastViolations,
  darkColorsOf,
  defaultColors,
  logoBytesMax,
  logoViolation,
  originOf,
  schemeOf,
} from './branding.rules.ts'

test('a text or a button needs a contrast of 4.5 with the background, and the contrast is cut, not rounded', () => {
  assert.deepEqual(contrastViolations(defaultColors), [])
  // #767676 on white has 4.54, #777777 has 4.48.
  assert.deepEqual(contrastViolations({ primary: '#767676', background: '#ffffff', text: '#767676' }), [])
  const found = contrastViolations({ primary: '#777777', background: '#ffffff', text: '#ffffff' })
  assert.deepEqual(
    found.map(({ param, code }) => [param, code]),
    [
      ['colors.text', 'invalid_value'],
      ['colors.primary', 'invalid_value'],
    ],
  )
  assert.match(found[1]?.message ?? '', /contrast of 4\.4:1 .*at least 4\.5:1/)
})

test('for a dark page the color of buttons is lightened until it can be read, unless the business has chosen the ground', () => {
  for (const primary of ['#0f766e', '#4338ca', '#000000', '#7f1d1d', '#0000ff', '#ffffff', '#facc15']) {
    const dark = darkColorsOf({ ...defaultColors, primary })
    assert.deepEqual(dark && contrastViolations(dark), [], primary)
    assert.equal(dark && schemeOf(dark.background), 'dark')
  }
  assert.equal(darkColorsOf({ ...defaultColors, background: '#fefefe' }), null)
  assert.equal(darkColorsOf({ ...defaultColors, text: '#000000' }), null)
})

test('the text on a button, and the parts of a browser, can be seen', () => {
  assert.deepEqual(['#000000', '#ffffff', '#0f766e', '#facc15'].map(buttonTextOn), [
    '#ffffff',
    '#000000',
    '#ffffff',
    '#000000',
  ])
  assert.deepEqual(['#000000', '#ffffff'].map(schemeOf), ['dark', 'light'])
})

test('a logo is a PNG, JPEG or WebP by its first bytes, of at most 64 KiB', () => {
  const logo = (type: string, start: string, bytes = 300) =>
    `data:${type};base64,${Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(bytes - start.length)]).toString('base64')}`
  const png = '\x89PNG\r\n\x1a\n'
  for (const bytes of [300, 301, 302, logoBytesMax]) assert.equal(logoViolation(logo('image/png', png, bytes)), null)
  assert.equal(logoViolation(logo('image/jpeg', '\xff\xd8\xff')), null)
  assert.equal(logoViolation(logo('image/webp', 'RIFF')), null)
  assert.equal(logoViolation(logo('image/png', png, logoBytesMax + 1))?.code, 'invalid_length')
  const right = logo('image/png', png)
  for (const text of ['', ` ${right}`, `${right} `, logo('image/png', 'RIFF'), logo('image/svg+xml', png), `${right}!`])
    assert.equal(logoViolation(text)?.code, 'invalid_format', text.slice(0, 40))
})

test('an origin has a scheme, a host and perhaps a port, and plain HTTP reaches this machine alone', () => {
  const https = (text: string) => originOf(text, { allowLoopbackHttp: false })
  const local = (text: string) => originOf(text, { allowLoopbackHttp: true })
  for (const read of [https, local]) {
    assert.equal(read('https://Shop.example/'), 'https://shop.example')
    assert.equal(read('https://shop.example:8443'), 'https://shop.example:8443')
    for (const text of ['', 'shop.example', 'https://*', 'https://a@shop.example', 'https://shop.example/a', 'data:a'])
      assert.equal(read(text), null, text)
    for (const host of ['shop.example', 'localhost.shop.example', 'notlocalhost', '127.0.0.1.shop.example'])
      assert.equal(read(`http://${host}`), null, host)
  }
  for (const text of ['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:8080']) {
    assert.equal(https(text), null)
    assert.equal(local(text), text)
  }
})
