// Webhook URLs: every form that is rejected. No spelling of a private host counts as public.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anySegment } from '../../../test/any-text.ts'
import { parseRedirectUri, parseWebhookUrl, type UrlRule, urlCharsMax } from './business-url.ts'

const live = { allowLoopbackHttp: false }
const sandbox = { allowLoopbackHttp: true }

const outcome = (parsed: ReturnType<typeof parseWebhookUrl>) => (parsed.ok ? parsed.url : parsed.problems[0]?.rule)

/** Rejected in both modes: neither loopback nor public. */
const privateHosts = [
  '10.0.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '0',
  '0x0a.1',
  '0xa9fea9fe',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[::]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[::7f00:1]',
  '[::ffff:10.0.0.1]',
  'metadata',
  'metadata.google.internal',
  'printer.local',
  'router.home.arpa',
  'kubernetes.default.svc',
  'api.east.cluster',
  'wiki.corp',
  'printer.home',
  'vault.service.consul',
  'db.internal.',
  'ｍetadata',
]

/** Loopback in a spelling that a URL parser or a resolver accepts. */
const loopbackHosts = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '2130706433',
  '[::1]',
  '[0:0::1]',
  '[::ffff:127.0.0.1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'api.localhost',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '%31%32%37.0.0.1',
]

const brokenForms: [string, UrlRule][] = [
  ['', 'absolute'],
  ['example.com/hook', 'absolute'],
  ['/hook', 'absolute'],
  ['//example.com/hook', 'absolute'],
  ['https:example.com', 'absolute'],
  ['https:/example.com', 'absolute'],
  ['https:///example.com', 'absolute'],
  ['mailto:a@example.com', 'absolute'],
  ['ftp://example.com', 'https'],
  ['javascript://example.com/%0aalert(1)', 'https'],
  ['data://example.com/x', 'https'],
  ['http://example.com/hook', 'https'],
  ['https://user@example.com', 'userinfo'],
  ['https://user:secret@example.com', 'userinfo'],
  ['https://@example.com', 'userinfo'],
  ['https://example.com@evil.example', 'userinfo'],
  ['https://example.com/#', 'fragment'],
  ['https://example.com/a#b', 'fragment'],
  [' https://example.com', 'characters'],
  ['https://example.com/a b', 'characters'],
  ['https://exa\tmple.com', 'characters'],
  ['https://example.com/\r\nX-Header: 1', 'characters'],
  ['https:\\\\example.com', 'characters'],
  ['https://example.com\\@evil.example', 'characters'],
  ['https://example.com/\u202Egnp', 'characters'],
  ['https://exam\u200Bple.com', 'characters'],
  ['https://example.com/\uD800', 'characters'],
  ['https://example..com', 'host'],
  ['https://example.com..', 'host'],
  ['https://./', 'host'],
  ['https://-example.com', 'host'],
  ["https://exa'mple.com", 'host'],
  ['https://exa%2fmple.com', 'host'],
  ['https://1.2.3.4.5', 'host'],
  ['https://[::1', 'host'],
  ['https://[fe80::1%25eth0]', 'host'],
  [`https://${'a'.repeat(64)}.com`, 'host'],
  ['https://example.com:99999', 'host'],
  ['https://example.com:0', 'port'],
  [`https://example.com/${'a'.repeat(urlCharsMax)}`, 'length'],
  [`https://example.com/${'é'.repeat(urlCharsMax / 2)}`, 'length'],
]

describe('webhook URL', () => {
  test('a public https address is accepted and normalised', () => {
    assert.equal(outcome(parseWebhookUrl('https://Example.COM', live)), 'https://example.com/')
    assert.equal(outcome(parseWebhookUrl('HTTPS://example.com:443/a?b=c', live)), 'https://example.com/a?b=c')
    assert.equal(outcome(parseWebhookUrl('https://example.com.:8443/a', live)), 'https://example.com:8443/a')
    assert.equal(outcome(parseWebhookUrl('https://bücher.example/é', live)), 'https://xn--bcher-kva.example/%C3%A9')
    assert.equal(outcome(parseWebhookUrl('https://1.1.1.1/', live)), 'https://1.1.1.1/')
    assert.equal(outcome(parseWebhookUrl('https://[2606:4700::1111]/', live)), 'https://[2606:4700::1111]/')
  })

  test('a form that is not plainly one address is refused by the rule it breaks, in both modes', () => {
    for (const [text, rule] of brokenForms) {
      assert.equal(outcome(parseWebhookUrl(text, live)), rule, text.slice(0, 80))
      assert.equal(outcome(parseWebhookUrl(text, sandbox)), rule, text.slice(0, 80))
    }
  })

  test('a host that is neither public nor loopback is refused in both modes', () => {
    for (const host of privateHosts) {
      assert.equal(outcome(parseWebhookUrl(`https://${host}/`, live)), 'public_host', host)
      assert.equal(outcome(parseWebhookUrl(`https://${host}/`, sandbox)), 'public_host', host)
      assert.equal(outcome(parseWebhookUrl(`http://${host}/`, sandbox)), 'https', host)
    }
  })

  test('loopback in any spelling is refused in live mode and accepted, by http too, in sandbox mode', () => {
    for (const host of loopbackHosts) {
      assert.equal(outcome(parseWebhookUrl(`https://${host}/`, live)), 'public_host', host)
      assert.equal(outcome(parseWebhookUrl(`http://${host}/`, live)), 'https', host)
      assert.ok(parseWebhookUrl(`http://${host}:80/`, sandbox).ok, host)
      assert.ok(parseWebhookUrl(`https://${host}:9443/`, sandbox).ok, host)
    }
  })

  test('a public host is reached on 443 or an unprivileged port only', () => {
    for (const port of [22, 25, 80, 1023])
      assert.equal(outcome(parseWebhookUrl(`https://a.example:${port}`, live)), 'port')
    for (const port of [443, 1024, 8443, 65_535]) assert.ok(parseWebhookUrl(`https://a.example:${port}`, live).ok)
  })

  test('of one address all that is wrong is told at once, the form before the host', () => {
    const rules = (text: string, options: typeof live) => {
      const parsed = parseWebhookUrl(text, options)
      return parsed.ok ? [] : parsed.problems.map(({ rule }) => rule)
    }
    for (const mode of [live, sandbox]) {
      assert.deepEqual(rules('http://10.0.0.1/hook', mode), ['https', 'public_host'])
      assert.deepEqual(rules('http://me@intranet:25/#x', mode), [
        'userinfo',
        'fragment',
        'https',
        'public_host',
        'port',
      ])
      assert.deepEqual(rules('http://a..example/#x', mode), ['fragment', 'host', 'https'])
      assert.deepEqual(rules('https://example.com:0/', mode), ['port'])
      // A text that is not a web address gets no further problems.
      assert.deepEqual(rules('ftp://me@10.0.0.1/', mode), ['https'])
    }
    assert.deepEqual(rules('http://127.0.0.1:25/#x', sandbox), ['fragment'])
    assert.deepEqual(rules('http://127.0.0.1:25/#x', live), ['fragment', 'https', 'public_host', 'port'])
  })

  test('an address of exactly the longest length is accepted', () => {
    const start = 'https://example.com/'
    assert.ok(parseWebhookUrl(start + 'a'.repeat(urlCharsMax - start.length), live).ok)
    assert.ok(!parseWebhookUrl(start + 'a'.repeat(urlCharsMax - start.length + 1), live).ok)
  })

  test('what was accepted is accepted again, unchanged', () => {
    const path = fc.array(anySegment).map((segments) => segments.join('/'))
    const url = fc.tuple(fc.domain(), path, anySegment).map(([host, at, query]) => `https://${host}/${at}?${query}`)
    fc.assert(
      fc.property(url, (text) => {
        const first = parseWebhookUrl(text, live)
        if (first.ok) assert.deepEqual(parseWebhookUrl(first.url, live), first)
      }),
    )
  })

  test('a refusal never repeats what was sent', () => {
    const canary = 'c4n4ry'
    for (const text of [`ftp://${canary}.example`, `https://${canary}@a.example`, `https://${canary}`, `${canary} `]) {
      const parsed = parseWebhookUrl(text, live)
      assert.ok(!parsed.ok)
      assert.ok(!JSON.stringify(parsed).includes(canary))
    }
  })
})

describe('redirect URI', () => {
  test('https is accepted, whatever network the browser finds the host on', () => {
    for (const url of ['https://app.example/done?x=1', 'https://10.0.0.5/done', 'https://intranet/done']) {
      assert.equal(outcome(parseRedirectUri(url, live)), url)
    }
  })

  test('http is accepted for loopback in sandbox mode and for nothing else', () => {
    assert.equal(outcome(parseRedirectUri('http://localhost:3000/done', sandbox)), 'http://localhost:3000/done')
    assert.equal(outcome(parseRedirectUri('http://localhost:3000/done', live)), 'https')
    assert.equal(outcome(parseRedirectUri('http://app.example/done', sandbox)), 'https')
    assert.equal(outcome(parseRedirectUri('http://10.0.0.5/done', sandbox)), 'https')
  })

  test('a form that is not plainly one address is refused by the rule it breaks', () => {
    for (const [text, rule] of brokenForms) assert.equal(outcome(parseRedirectUri(text, live)), rule, text.slice(0, 80))
  })
})
