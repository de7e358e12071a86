// The terms page over HTTP: its states, the response to Accept, and the origins that receive a message.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeTosLink, postAsPage, property, textProperty } from './pages-fixture.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

const withQuery = (link: string, values: Record<string, string>): string => {
  const url = new URL(link)
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return url.href
}

describe('the terms page', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox[Symbol.asyncDispose]())

  test('shows the terms with one Accept button, says that it is a sandbox, and changes nothing by being read', async () => {
    const link = await makeTosLink(sandbox)
    for (let read = 0; read < 2; read += 1) {
      const page = await fetch(link)
      assert.equal(page.status, 200)
      const markup = await page.text()
      assert.match(markup, /<html lang="en">/)
      assert.match(markup, /<title>Terms of Service · Sandbox Provider<\/title>/)
      assert.match(markup, /no legal effect/)
      assert.deepEqual(markup.match(/<button[^>]*>([^<]*)</g)?.length, 1)
      assert.match(markup, />Accept<\/button>/)
    }
  })

  test('is sent with a policy that allows own files only, embedding by loopback origins, and no referrer', async () => {
    const { headers } = await fetch(await makeTosLink(sandbox))
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|\*(?!;|$| )/)
    assert.match(policy, /frame-ancestors http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*$/)
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  test('accepting twice yields one agreement id, and the page then says that the terms were accepted before', async () => {
    const link = await makeTosLink(sandbox)
    const first = await postAsPage(link, {})
    const second = await postAsPage(link, {})
    assert.equal(first.status, 200)
    assert.equal(textProperty(first.body, 'signedAgreementId'), textProperty(second.body, 'signedAgreementId'))
    const markup = await (await fetch(link)).text()
    assert.match(markup, /You accepted these terms before/)
    assert.match(markup, />Continue<\/button>/)
  })

  test('two links yield two agreement ids', async () => {
    const [one, other] = await Promise.all([makeTosLink(sandbox), makeTosLink(sandbox)])
    const [first, second] = await Promise.all([postAsPage(one, {}), postAsPage(other, {})])
    assert.notEqual(textProperty(first.body, 'signedAgreementId'), textProperty(second.body, 'signedAgreementId'))
  })

  test('an unknown, empty, repeated or missing token is a friendly 404, and accepts nothing', async () => {
    const page = `${sandbox.url}/accept-terms-of-service`
    const known = new URL(await makeTosLink(sandbox)).searchParams.get('session_token')
    const unknown = ['', '?session_token=', '?session_token=00000000-0000-4000-8000-000000000000', '?t=no']
    for (const query of [
      ...unknown,
      `?session_token=${known}&session_token=${known}`,
      `?session_token=${'a'.repeat(5000)}`,
    ]) {
      const response = await fetch(page + query)
      assert.equal(response.status, 404, query)
      assert.match(await response.text(), /Link not found/)
      const accepted = await postAsPage(page + query, {})
      assert.equal(accepted.status, 404, query)
      assert.equal(property(accepted.body, 'code'), 'unknown_link')
    }
  })

  test('a link for an existing customer names the customer we know, not the one in the address', async () => {
    const body = { type: 'individual', email: 'ada@known.example' }
    const { body: customer } = await sandbox.wire('POST', '/customers', { body })
    const path = `/customers/${textProperty(customer, 'id')}/tos_acceptance_link`
    const link = textProperty((await sandbox.wire('GET', path)).body, 'url')
    const markup = await (await fetch(withQuery(link, { email: 'eve@evil.example' }))).text()
    assert.match(markup, /For <strong>ada@known\.example<\/strong>/)
    assert.doesNotMatch(markup, /eve@/)
    assert.equal((await postAsPage(link, {})).status, 200)
  })

  test('a token is never shown, and the query is never reflected into the page', async () => {
    const link = withQuery(await makeTosLink(sandbox), {
      email: '"><script>alert(1)</script>',
      'iframe-origin': '"><b>x',
    })
    const markup = await (await fetch(link)).text()
    assert.doesNotMatch(markup, /alert\(1\)|<b>x/)
    assert.ok(!markup.includes(new URL(link).searchParams.get('session_token') ?? '-'))
  })

  test('the page names the host it returns to, and acceptance overwrites a planted agreement id', async () => {
    const link = withQuery(await makeTosLink(sandbox), {
      redirect_uri: 'https://shop.example.com/back?signed_agreement_id=planted&cart=7',
    })
    assert.match(await (await fetch(link)).text(), /You return to <strong>shop\.example\.com<\/strong>/)
    const { body } = await postAsPage(link, {})
    const target = new URL(textProperty(body, 'continueTo'))
    assert.deepEqual(target.searchParams.getAll('signed_agreement_id'), [textProperty(body, 'signedAgreementId')])
    assert.equal(target.searchParams.get('cart'), '7')
  })

  test('a caller of another site, a form post and an oversized body change nothing', async () => {
    const link = await makeTosLink(sandbox)
    const send = (headers: Record<string, string>, body: string) => fetch(link, { method: 'POST', headers, body })
    const json = { 'content-type': 'application/json' }
    assert.equal((await send({ ...json, 'sec-fetch-site': 'cross-site' }, '{}')).status, 403)
    assert.equal((await send({ ...json, 'sec-fetch-site': 'same-site' }, '{}')).status, 403)
    assert.equal((await send({ 'content-type': 'application/x-www-form-urlencoded' }, 'a=b')).status, 415)
    assert.equal((await send({ 'content-type': 'text/plain' }, '{}')).status, 415)
    assert.equal((await send(json, '{')).status, 400)
    assert.equal((await send(json, JSON.stringify({ origins: ['x'.repeat(8192)] }))).status, 413)
    assert.match(await (await fetch(link)).text(), />Accept<\/button>/)
  })

  test('without a list, any origin of this machine may be told, and nothing that only looks like one', async () => {
    const targetFor = async (origin: string): Promise<unknown> => {
      const address = withQuery(await makeTosLink(sandbox), { 'iframe-origin': origin })
      return property((await postAsPage(address, {})).body, 'targetOrigin')
    }
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://localhost:8443', 'http://[::1]:3000']) {
      assert.equal(await targetFor(origin), origin)
    }
    const lookalikes = [
      'http://localhost:3000/',
      'http://ada@localhost:3000',
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'http://127.1',
      'https://shop.example.com',
      'http://0.0.0.0:3000',
      'ftp://localhost',
      'file://',
      '*',
    ]
    for (const origin of lookalikes) assert.equal(await targetFor(origin), null, origin)
  })
})

describe('whom the terms page may tell', () => {
  const origins = ['https://shop.example.com', 'http://localhost:3000']
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ embedOrigins: origins })
  })
  after(() => sandbox[Symbol.asyncDispose]())

  const targetFor = async (iframeOrigin: string | null, reported: unknown): Promise<unknown> => {
    const link = await makeTosLink(sandbox)
    const address = iframeOrigin === null ? link : withQuery(link, { 'iframe-origin': iframeOrigin })
    const { status, body } = await postAsPage(address, { origins: reported })
    assert.equal(status, 200)
    return property(body, 'targetOrigin')
  }

  test('only the configured origins may embed', async () => {
    const policy = (await fetch(await makeTosLink(sandbox))).headers.get('content-security-policy') ?? ''
    assert.ok(policy.endsWith(`frame-ancestors ${origins.join(' ')}`), policy)
  })

  test('an allowed iframe-origin wins, then the first allowed origin that the page reports', async () => {
    assert.equal(await targetFor('http://localhost:3000', ['https://shop.example.com']), 'http://localhost:3000')
    assert.equal(await targetFor('https://evil.example', ['https://shop.example.com']), 'https://shop.example.com')
    assert.equal(await targetFor(null, ['https://evil.example', 'http://localhost:3000']), 'http://localhost:3000')
  })

  test('nobody is told when no origin is allowed; lookalikes and wildcards are not', async () => {
    const lookalikes = [
      '*',
      'null',
      '',
      'https://shop.example.com/',
      'https://shop.example.com:443',
      'https://SHOP.example.com',
      'http://shop.example.com',
      'https://shop.example.com.evil.example',
      'https://evil.example',
      'https://a@shop.example.com',
      'http://localhost:3001',
      'http://127.0.0.1:3000',
      'javascript:alert(1)',
    ]
    for (const origin of lookalikes) {
      assert.equal(await targetFor(origin, [origin]), null, origin)
    }
    for (const reported of [undefined, null, 'https://shop.example.com', [null, 7, {}, []], {}]) {
      assert.equal(await targetFor(null, reported), null)
    }
  })
})
