// The identity check and unknown addresses over HTTP: their contents, the effect of each outcome, and refusals.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type KycLink, type LinkedPerson, makeKycLink, postAsPage, property, textProperty } from './pages-fixture.ts'
import { type Sandbox, startSandbox, until } from './sandbox.ts'

describe('the identity check', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox[Symbol.asyncDispose]())

  const acceptedLink = async (person: LinkedPerson = {}): Promise<KycLink> => {
    const link = await makeKycLink(sandbox, person)
    assert.equal((await postAsPage(link.tosLink, {})).status, 200)
    return link
  }

  test('says that the terms come first, links to them, and finishes nothing before they are accepted', async () => {
    const { kycLink } = await makeKycLink(sandbox)
    const markup = await (await fetch(kycLink)).text()
    assert.match(markup, /Accept the terms first/)
    assert.doesNotMatch(markup, /type="radio"/)
    const href = /href="([^"]*accept-terms-of-service[^"]*)"/.exec(markup)?.[1]?.replaceAll('&amp;', '&') ?? ''
    assert.equal(new URL(href).searchParams.get('redirect_uri'), kycLink, 'the terms lead back to the check')
    assert.equal((await fetch(href)).status, 200)
    const early = await postAsPage(kycLink, { outcome: 'approve' })
    assert.equal(early.status, 409)
    assert.equal(property(early.body, 'code'), 'terms_not_accepted')
  })

  test('shows who is checked as text, whatever the name contains', async () => {
    const { kycLink } = await acceptedLink({ full_name: `<img src=x onerror="alert(1)"> & 'Ada'` })
    const markup = await (await fetch(kycLink)).text()
    assert.doesNotMatch(markup, /<img/)
    assert.match(markup, /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt; &amp; &#39;Ada&#39;/)
  })

  test('each outcome is taken once the terms are accepted, and answers with a title and a text', async () => {
    const rare = ['request_questionnaire', 'pause', 'offboard', 'restrict_deposits', 'revoke_endorsement']
    for (const outcome of ['approve', 'reject', 'review', 'request_document', ...rare]) {
      const { kycLink } = await acceptedLink()
      assert.match(await (await fetch(kycLink)).text(), new RegExp(`value="${outcome}"`))
      const { status, body } = await postAsPage(kycLink, { outcome })
      assert.equal(status, 200, outcome)
      for (const name of ['title', 'text', 'tone', 'status']) assert.ok(textProperty(body, name).length > 0)
    }
  })

  test('an outcome comes true, and a check that is open again can end otherwise', async () => {
    await using quick = await startSandbox({ kycDecisionMs: 20 })
    const body = { type: 'individual', email: 'ada@again.example', signed_agreement_id: randomUUID() }
    const { body: customer } = await quick.wire('POST', '/customers', { body })
    const id = textProperty(customer, 'id')
    const link = textProperty((await quick.wire('GET', `/customers/${id}/kyc_link`)).body, 'url')
    for (const [outcome, status] of [
      ['reject', 'rejected'],
      ['request_questionnaire', 'awaiting_questionnaire'],
      ['review', 'under_review'],
      ['restrict_deposits', 'deposits_restricted'],
    ] as const) {
      assert.equal((await postAsPage(link, { outcome })).status, 200)
      await until(`the customer is ${status} by decision`, async () => {
        const { body } = await quick.wire('GET', `/customers/${id}`)
        const { body: state } = await quick.control('GET', '/state')
        return property(body, 'status') === status && property(property(state, 'pending_tasks'), 'count') === 0
      })
    }
    assert.equal((await postAsPage(link, { outcome: 'approve' })).status, 409)
  })

  test('a manual review of an approved customer is decided on the page as well', async () => {
    await using quick = await startSandbox({ kycDecisionMs: 20 })
    const body = { type: 'individual', signed_agreement_id: randomUUID() }
    const { body: customer } = await quick.wire('POST', '/customers', { body })
    const id = textProperty(customer, 'id')
    const is = (status: string) =>
      until(`the customer is ${status}`, async () => {
        const { body } = await quick.wire('GET', `/customers/${id}`)
        return property(body, 'status') === status
      })
    const decide = (decision: string) => quick.control('POST', `/customers/${id}/kyc`, { body: { decision } })
    const link = textProperty((await quick.wire('GET', `/customers/${id}/kyc_link`)).body, 'url')
    for (const [outcome, status] of [
      ['approve', 'active'],
      ['pause', 'paused'],
    ] as const) {
      await decide('approve')
      await decide('review')
      assert.equal((await postAsPage(link, { outcome })).status, 200)
      await is(status)
    }
  })

  test('a business is named, asked about itself, and can be asked for its owners', async () => {
    const { kycLink, tosLink } = await makeKycLink(sandbox, { type: 'business', full_name: 'Analytical Engines Inc.' })
    await postAsPage(tosLink, {})
    const markup = await (await fetch(kycLink)).text()
    assert.match(markup, /<h1>Verify this business<\/h1>/)
    assert.match(markup, /<dt>Business<\/dt><dd>Analytical Engines Inc\.<\/dd>/)
    assert.doesNotMatch(markup, /selfie|First name/i)
    assert.match(markup, /value="request_ubo"/)
    const { status } = await postAsPage(kycLink, { outcome: 'request_ubo' })
    assert.equal(status, 200)
    const { kycLink: individual } = await acceptedLink()
    assert.doesNotMatch(await (await fetch(individual)).text(), /request_ubo/)
    assert.equal((await postAsPage(individual, { outcome: 'request_ubo' })).status, 400)
  })

  test('anything but the outcomes offered is refused by name', async () => {
    const { kycLink } = await acceptedLink()
    for (const outcome of [undefined, null, '', 'Approve', 'approve ', 7, ['approve'], 'constructor', 'toString']) {
      const { status, body } = await postAsPage(kycLink, { outcome })
      assert.equal(status, 400)
      assert.equal(property(body, 'code'), 'bad_outcome')
    }
  })

  test('leads to the redirect_uri of the session, and to none in the query', async () => {
    const { kycLink } = await acceptedLink({ redirect_uri: 'https://shop.example.com/done' })
    const { body } = await postAsPage(`${kycLink}&redirect_uri=https://evil.example/`, { outcome: 'approve' })
    assert.equal(property(body, 'continueTo'), 'https://shop.example.com/done')
  })

  test('does not lead to a redirect_uri that is plain http beyond this machine, and says why', async () => {
    const { kycLink } = await acceptedLink({ redirect_uri: 'http://shop.example.com/done' })
    const { body } = await postAsPage(kycLink, { outcome: 'review' })
    assert.equal(property(body, 'continueTo'), null)
    assert.match(textProperty(body, 'redirectProblem'), /https/)
  })

  test('is closed for a paused customer: no choice is offered and none is taken', async () => {
    const body = { type: 'individual', email: 'ada@closed.example', signed_agreement_id: randomUUID() }
    const { body: customer } = await sandbox.wire('POST', '/customers', { body })
    const id = textProperty(customer, 'id')
    const link = textProperty((await sandbox.wire('GET', `/customers/${id}/kyc_link`)).body, 'url')
    assert.match(await (await fetch(link)).text(), /type="radio"/)
    await sandbox.control('POST', `/customers/${id}/kyc`, { body: { decision: 'pause' } })
    const markup = await (await fetch(link)).text()
    assert.match(markup, /This customer is paused/)
    assert.doesNotMatch(markup, /type="radio"/)
    const late = await postAsPage(link, { outcome: 'approve' })
    assert.equal(late.status, 409)
    assert.equal(property(late.body, 'code'), 'check_closed')
  })

  test('the embeddable form is the same check, and tells an allowed embedder only', async () => {
    const { kycLink } = await acceptedLink()
    const widget = kycLink.replace('/verify', '/widget')
    assert.match(await (await fetch(widget)).text(), /type="radio"/)
    const told = await postAsPage(`${widget}&iframe-origin=http://localhost:3000`, { outcome: 'review' })
    assert.equal(property(told.body, 'targetOrigin'), 'http://localhost:3000')
    const untold = await postAsPage(`${widget}&iframe-origin=https://evil.example`, { outcome: 'review' })
    assert.equal(property(untold.body, 'targetOrigin'), null)
  })

  test('an unknown link is a friendly 404', async () => {
    for (const query of ['', '?reference-id=', '?reference-id=unknown']) {
      for (const path of ['/verify', '/widget']) {
        const response = await fetch(sandbox.url + path + query)
        assert.equal(response.status, 404)
        assert.match(await response.text(), /Link not found/)
        assert.equal((await postAsPage(sandbox.url + path + query, { outcome: 'approve' })).status, 404)
      }
    }
  })
})

describe('an unknown address', () => {
  test('is a page for a browser, which leads to the console and embeds nowhere, and JSON for a program', async () => {
    await using sandbox = await startSandbox()
    const response = await fetch(`${sandbox.url}/nothing`, { headers: { accept: 'text/html' } })
    assert.equal(response.status, 404)
    assert.match(await response.text(), /Sandbox page of the console/)
    assert.match(response.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'$/)
    const forProgram = await fetch(`${sandbox.url}/nothing`)
    assert.deepEqual([forProgram.status, property(await forProgram.json(), 'code')], [404, 'not_found'])
  })

  test('its files are served with a type and an ETag, and nothing else is found beside them', async () => {
    await using sandbox = await startSandbox()
    const markup = await (await fetch(sandbox.url, { headers: { accept: 'text/html' } })).text()
    const files = [...markup.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '')
    assert.ok(files.length >= 2)
    for (const file of files) {
      const response = await fetch(sandbox.url + file)
      assert.equal(response.status, 200, file)
      assert.match(response.headers.get('content-type') ?? '', /^(text\/css|image\/svg)/)
      const again = await fetch(sandbox.url + file, {
        headers: { 'if-none-match': response.headers.get('etag') ?? '' },
      })
      assert.equal(again.status, 304)
    }
    for (const path of ['/assets/', '/assets/..%2fpages.ts', '/assets/%2e%2e/pages.ts', '/assets/nothing.css']) {
      assert.equal((await fetch(sandbox.url + path)).status, 404, path)
    }
  })
})
