// The rule for redirect_uri, against a table of tricks and against random addresses of fast-check.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { parseRedirect, withParameter } from '../src/pages/redirects.ts'
import { makeTosLink } from './pages-fixture.ts'
import { refusedRedirects } from './pages-redirect-tricks.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

const acceptable = [
  'https://shop.example.com',
  'https://shop.example.com/',
  'https://shop.example.com:8443/a/b?c=d&e=%20f#g',
  'HTTPS://Shop.Example.com/path',
  'https://xn--mnchen-3ya.example/',
  'https://shop.example.com/back?next=https://other.example/',
  "https://shop.example.com/a(b)*c!d'e;f,g",
  'https://192.0.2.7/',
  'https://[2001:db8::1]/',
  'http://localhost',
  'http://localhost:3000/callback',
  'http://127.0.0.1:3000/',
  'http://127.255.255.254/',
  'http://[::1]:3000/',
  `https://shop.example.com/${'a'.repeat(2048 - 'https://shop.example.com/'.length)}`,
]

describe('redirect_uri', () => {
  test('ordinary return addresses of integrators are accepted', () => {
    for (const uri of acceptable) assert.equal(parseRedirect(uri).ok, true, uri)
  })

  test('every one of at least 200 open-redirect tricks is refused with a reason', () => {
    assert.ok(new Set(refusedRedirects).size >= 200, `only ${new Set(refusedRedirects).size} different tricks`)
    for (const uri of refusedRedirects) {
      const parsed = parseRedirect(uri)
      assert.ok(!parsed.ok, `accepted ${JSON.stringify(uri.slice(0, 80))}`)
      assert.ok(parsed.reason.length > 0)
    }
  })

  test('values that are no single text are refused', () => {
    for (const value of [['https://a.example', 'https://b.example'], {}, 7, null])
      assert.equal(parseRedirect(value).ok, false)
  })

  test('whatever is accepted leads to the host it shows, by https or to this machine, without userinfo', () => {
    const part = fc.constantFrom(
      'http://',
      'https:',
      '//',
      '\\',
      '@',
      'localhost',
      '127.0.0.1',
      'evil.example',
      ':',
      '#',
      '?',
      '%2e',
      '.',
      '\t',
      '[::1]',
    )
    const uris = fc.oneof(
      fc.webUrl(),
      fc.string(),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(uris, (uri) => {
        const parsed = parseRedirect(uri)
        if (!parsed.ok) return
        const { protocol, hostname, username, password } = parsed.url
        assert.ok(uri.toLowerCase().startsWith(`${protocol}//${hostname}`))
        assert.equal(username + password, '')
        assert.ok(protocol === 'https:' || ['localhost', '[::1]'].includes(hostname) || hostname.startsWith('127.'))
      }),
      { numRuns: 2000 },
    )
  })

  test('the agreement id replaces every one that stands in the address and leaves the rest alone', () => {
    const target = new URL('https://shop.example.com/back?signed_agreement_id=a&x=1&signed_agreement_id=b#end')
    assert.equal(
      withParameter(target, 'signed_agreement_id', 'new id&x=2'),
      'https://shop.example.com/back?signed_agreement_id=new+id%26x%3D2&x=1#end',
    )
  })
})

describe('the terms page with a bad redirect_uri', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox[Symbol.asyncDispose]())

  test('is an error page without a button for each of the tricks, and accepting by hand is refused too', async () => {
    const link = new URL(await makeTosLink(sandbox))
    for (const uri of refusedRedirects) {
      link.searchParams.set('redirect_uri', uri)
      const page = await fetch(link)
      assert.equal(page.status, 400, uri.slice(0, 80))
      const markup = await page.text()
      assert.match(markup, /This link cannot be used/)
      assert.doesNotMatch(markup, /<button|<script/)
    }
    const accepted = await fetch(link, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    assert.equal(accepted.status, 400)
  })
})
