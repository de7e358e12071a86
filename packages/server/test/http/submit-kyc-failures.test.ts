// submitKyc: a provider that refuses, fails, is slow or is gone, and callers that race or repeat. However it goes, an
// end-user becomes one customer upstream, and what was unknown becomes known.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { servicesOf } from '../../src/app/services.ts'
import { authenticateBusiness } from '../../src/businesses/api-keys.ts'
import { submitKyc } from '../../src/end-users/kyc/submit.ts'
import type { Tx } from '../../src/platform/postgres/query.ts'
import { type Answer, assertError, dataOf, request, until } from '../caller.ts'
import { freshUserId, kycBody, userPath } from '../people.ts'
import type { Fault } from '../provider.ts'
import { openWorld } from '../world.ts'

const timeoutMs = 1_000
const repeatPauseMs = 100
const world = await openWorld({
  alone: true,
  env: { PROVIDER_TIMEOUT_MS: String(timeoutMs), KYC_SUBMISSIONS_PER_MINUTE: '1000' },
})
after(() => world.stop())

const creation = { method: 'POST', path: '^/v0/customers$' }
const submit = (user: string, body: unknown) => world.business.call('POST', userPath(user, '/submit-kyc'), body)
const read = async (user: string) => dataOf(await world.business.call('GET', userPath(user)))

/** An end-user with or without a stored email address, and a body to submit. */
async function candidate(withEmail = true): Promise<{ user: string; body: Record<string, unknown> }> {
  const externalUserId = freshUserId()
  const email = withEmail ? { email: `${externalUserId}@example.com` } : {}
  dataOf(await world.business.call('POST', '/v0/end-users', { externalUserId, ...email }))
  return { user: externalUserId, body: kycBody(randomUUID(), externalUserId) }
}

/** The number of customers that `work` adds upstream. */
async function customersMade(work: () => Promise<unknown>): Promise<number> {
  const before = (await world.provider.counts())['customers'] ?? 0
  await work()
  return ((await world.provider.counts())['customers'] ?? 0) - before
}

async function becomesApproved(user: string): Promise<void> {
  await until(`the approval of ${user}`, async () => (await read(user)).kycStatus === 'approved')
}

/** Retries like a caller that follows the error. */
async function submitUntilTaken(user: string, body: unknown): Promise<void> {
  await until('the submission to be taken', async () => {
    const answer = await submit(user, body)
    if (answer.status === 200) return true
    assertInProgress(answer)
    await delay(repeatPauseMs)
    return false
  })
}

function assertInProgress(answer: Answer): void {
  assertError(answer, 409, 'kyc_submission_in_progress', { param: null })
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
}

/** No write is left open for this end-user: whatever was unknown is known. */
async function nothingOpen(user: string): Promise<void> {
  const { id } = await read(user)
  await until('the end of every operation', async () => {
    const rows = await world.rows`select 1 from operations where subject_id = ${id} and state in ('running', 'unknown')`
    return rows.length === 0
  })
}

describe('a provider that refuses', () => {
  const refusal = (key: Record<string, string>, code = 'invalid_parameters') => ({
    code,
    message: 'Please resubmit the following parameters',
    source: { location: 'body', key },
  })

  test('422 its reasons are told by our fields, but never with what was sent', async () => {
    const { user, body } = await candidate()
    const key = {
      birth_date: 'must be in the past century',
      first_name: 'Ada is not allowed',
      last_name: 'lovelace looks odd',
      phone: 'number 1 222 333 4444 is unreachable',
      'identifying_information.0.number': 'SSN 123456789 is not known',
      'residential_address.street_line_1': 'no such house in "Analytical" street',
      email: `the local part ${user} is taken`,
      'odd name; <b>': 'is odd',
      city: 'x'.repeat(300),
    }
    await world.provider.fails({ ...creation, mode: 'status', status: 400, body: refusal(key) })
    const { details } = assertError(await submit(user, body), 422, 'provider_rejected', {
      param: 'birth_date',
      silentOn: ['Ada', 'ovelace', '4444', '123456789', 'Analytical', `part ${user}`, '<b>', 'xxx'],
    })
    const messages = new Map(details.map(({ param, message }) => [param, message]))
    assert.equal(messages.get('birth_date'), 'must be in the past century')
    const hidden = [...messages].filter(([, message]) => message === 'The provider did not accept this field.')
    assert.equal(hidden.length, 7)
    assert.equal((await read(user)).kycStatus, 'not_started')
    dataOf(await submit(user, body))
    await becomesApproved(user)
  })

  test('422 terms that the provider does not know as accepted', async () => {
    const { user, body } = await candidate()
    const order = { ...creation, mode: 'status', status: 403, body: refusal({}, 'has_not_accepted_tos') }
    await world.provider.fails(order)
    assertError(await submit(user, body), 422, 'signed_agreement_invalid', { param: null })
    assert.equal((await read(user)).tosStatus, 'pending')
  })

  test('503 a key of ours that it refuses is our trouble, not the caller’s', async () => {
    const { user, body } = await candidate()
    await world.provider.fails({
      ...creation,
      mode: 'status',
      status: 401,
      body: { code: 'invalid', message: 'canary' },
    })
    assertError(await submit(user, body), 503, 'provider_unavailable', { silentOn: ['canary', 'key'], param: null })
    dataOf(await submit(user, body))
  })
})

const codes = {
  500: 'provider_response_unreadable',
  503: 'provider_unavailable',
  504: 'provider_timeout',
} as const

describe('a provider that fails: the repeat of the same body is taken, and makes one customer', () => {
  const failures: [what: string, order: Fault, status: 500 | 503 | 504][] = [
    ['answers 500', { mode: 'status', status: 500 }, 503],
    ['answers 503', { mode: 'status', status: 503 }, 503],
    ['answers 429', { mode: 'status', status: 429 }, 503],
    ['does the work and answers in a way that cannot be read', { mode: 'unreadable' }, 500],
    ['cuts the connection before the work', { mode: 'cut_before', times: 2 }, 504],
    ['does the work and cuts the connection', { mode: 'cut_after', times: 2 }, 504],
    ['never answers', { mode: 'hang' }, 504],
    ['answers too late', { mode: 'delay', delay_ms: timeoutMs + 200 }, 504],
  ]
  for (const [what, order, status] of failures) {
    test(`${status} one that ${what}`, async () => {
      const { user, body } = await candidate()
      const made = await customersMade(async () => {
        await world.provider.fails({ ...creation, ...order })
        const answer = await submit(user, body)
        assertError(answer, status, codes[status], { silentOn: ['Bad Gateway', 'Lovelace'], param: null })
        if (status !== 500) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
        await submitUntilTaken(user, body)
        await becomesApproved(user)
        await nothingOpen(user)
      })
      assert.equal(made, 1)
    })
  }
})

test('500 one that answers with something that is not its wire: the repeat is sent once nothing can arrive any more', async () => {
  const { user, body } = await candidate()
  const made = await customersMade(async () => {
    await world.provider.fails({ ...creation, mode: 'garbage' })
    const unreadable = { param: null }
    assertError(await submit(user, body), 500, 'provider_response_unreadable', unreadable)
    await until('the submission to be taken', async () => (await submit(user, body)).status === 200)
    await becomesApproved(user)
    await nothingOpen(user)
  })
  assert.equal(made, 1)
})

describe('an answer that is lost, and nobody who repeats', () => {
  for (const [what, withEmail] of [
    ['the e-mail address is known to us', true],
    ['it is not, so that only the provider’s event tells', false],
  ] as const) {
    test(`504 the end-user is approved all the same; ${what}`, async () => {
      const { user, body } = await candidate(withEmail)
      const made = await customersMade(async () => {
        await world.provider.fails({ ...creation, mode: 'cut_after', times: 2 })
        assertError(await submit(user, body), 504, 'provider_timeout', { param: null })
        await becomesApproved(user)
        await nothingOpen(user)
      })
      assert.equal(made, 1)
      assert.equal((await read(user)).tosStatus, 'approved')
    })
  }
})

describe('an answer that is lost, and a repeat that says something else', () => {
  const changes: [what: string, change: (body: Record<string, unknown>) => Record<string, unknown>][] = [
    ['another phone number', (body) => ({ ...body, phone: '+12223334449' })],
    ['another e-mail address', (body) => ({ ...body, email: `${freshUserId()}@example.com` })],
  ]
  for (const [what, change] of changes) {
    for (const mode of ['cut_before', 'cut_after'] as const) {
      for (const withEmail of [true, false]) {
        const known = withEmail ? 'known' : 'unknown'
        test(`504, then 200 with ${what}: one customer (${mode}, e-mail ${known} before)`, async () => {
          const { user, body } = await candidate(withEmail)
          const made = await customersMade(async () => {
            await world.provider.fails({ ...creation, mode, times: 2 })
            assertError(await submit(user, body), 504, 'provider_timeout', { param: null })
            await submitUntilTaken(user, change(body))
            await becomesApproved(user)
            await nothingOpen(user)
          })
          assert.equal(made, 1)
        })
      }
    }
  }
})

describe('a change of a customer who is there', () => {
  const update = { method: 'PUT', path: '^/v0/customers/' }
  for (const [mode, status] of [
    ['cut_before', 504],
    ['cut_after', 504],
    ['hang', 504],
    ['status', 503],
    ['garbage', 500],
  ] as const) {
    test(`${status} it fails (${mode}); the repeat may say the same or something else`, async () => {
      const { user, body } = await candidate()
      const { identifying_information: papers, ...partly } = body
      assert.equal(dataOf(await submit(user, partly)).kycStatus, 'action_required')
      const made = await customersMade(async () => {
        for (const sent of [{ phone: '+12223334448' }, { identifying_information: papers }]) {
          await world.provider.fails({ ...update, mode, status: 500 })
          assertError(await submit(user, { phone: '+12223334447' }), status, codes[status], { param: null })
          await submitUntilTaken(user, sent)
        }
        await becomesApproved(user)
        await nothingOpen(user)
      })
      assert.equal(made, 0)
    })
  }
})

describe('a provider that does not repeat our id of the end-user', () => {
  before(() => world.provider.control('POST', '/behaviour', { client_reference_id_absent: true }))
  after(() => world.provider.control('POST', '/behaviour', { client_reference_id_absent: false }))

  test('504 the customer of a lost answer is found by its address, when nobody repeats', async () => {
    const { user, body } = await candidate()
    const made = await customersMade(async () => {
      await world.provider.fails({ ...creation, mode: 'cut_after', times: 2 })
      assertError(await submit(user, body), 504, 'provider_timeout', { param: null })
      await becomesApproved(user)
      await nothingOpen(user)
    })
    assert.equal(made, 1)
  })

  for (const mode of ['cut_before', 'cut_after'] as const)
    test(`200 a corrected submission goes on with the customer of a lost answer (${mode})`, async () => {
      const { user, body } = await candidate(false)
      const made = await customersMade(async () => {
        await world.provider.fails({ ...creation, mode, times: 2 })
        assertError(await submit(user, body), 504, 'provider_timeout', { param: null })
        await submitUntilTaken(user, { ...body, middle_name: 'Augusta' })
        await becomesApproved(user)
        await nothingOpen(user)
      })
      assert.equal(made, 1)
    })

  test('422 a customer whom no lost answer of ours has made stays a stranger', async () => {
    const { user, body } = await candidate()
    const headers = { 'api-key': world.provider.apiKey, 'idempotency-key': randomUUID() }
    const stranger = await request('POST', `${world.provider.origin}/v0/customers`, body, { headers })
    assert.equal(stranger.status, 201, stranger.text)
    assertError(await submit(user, body), 422, 'provider_rejected', { details: { '': 'rejected' }, param: null })
    assert.equal((await read(user)).providerCustomerId, null)
  })

  test('422 two end-users who lost an answer for one address: nobody is given a customer that may be the other’s', async () => {
    const [one, other] = [await candidate(false), await candidate(false)]
    const email = one.body['email']
    await world.provider.fails({ ...creation, mode: 'cut_after', times: 4 })
    for (const { user, body } of [one, other])
      assertError(await submit(user, { ...body, email }), 504, 'provider_timeout', { param: null })
    // The second creation was refused upstream, and that response was lost as well.
    const again = await until('an answer other than to wait', async () => {
      const answer = await submit(other.user, { ...other.body, email, middle_name: 'Augusta' })
      return answer.status === 409 ? null : answer
    })
    assert.equal(again.status, 422, again.text)
    assert.equal((await read(other.user)).providerCustomerId, null)
  })
})

describe('a refusal that names no field', () => {
  for (const [status, code, message, remedy] of [
    [
      403,
      'not_allowed',
      'This feature is not enabled for the developer',
      /not enabled this feature for the integration/,
    ],
    [400, 'frozen', 'The customer is frozen', /frozen .* only the provider can end/],
    [400, 'duplicate_record', 'This record exists', /Read the end-user/],
    [422, 'unprocessable_entity', 'The request cannot be processed', /Check `details`/],
  ] as const)
    test(`422 the provider’s ${status} ${code} and its text are told, with what can be done`, async () => {
      const { user, body } = await candidate()
      await world.provider.fails({ ...creation, mode: 'status', status, body: { code, message } })
      const { details, resolution } = assertError(await submit(user, body), 422, 'provider_rejected', {
        details: { '': code },
        param: null,
      })
      assert.deepEqual(details, [{ param: '', code, message }])
      assert.match(resolution, remedy)
    })

  test('422 a text that repeats what was sent is not told', async () => {
    const { user, body } = await candidate()
    const message = `No customer may be called ${body['last_name']}`
    await world.provider.fails({
      ...creation,
      mode: 'status',
      status: 400,
      body: { code: 'bad_customer_request', message },
    })
    assertError(await submit(user, body), 422, 'provider_rejected', {
      details: { '': 'bad_customer_request' },
      silentOn: [String(body['last_name'])],
      param: null,
    })
  })
})

describe('callers that race', () => {
  for (const [what, vary] of [
    ['the same body', (body: Record<string, unknown>) => body],
    ['bodies of their own', (body: Record<string, unknown>, index: number) => ({ ...body, middle_name: `M${index}` })],
  ] as const) {
    test(`409 of six with ${what} each is taken or told to wait, and there is one customer`, async () => {
      const { user, body } = await candidate()
      const made = await customersMade(async () => {
        await world.provider.fails({ ...creation, mode: 'delay', delay_ms: 100 })
        const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => submit(user, vary(body, index))))
        assert.ok(answers.some(({ status }) => status === 200))
        assert.ok(answers.some(({ status }) => status === 409))
        for (const answer of answers) if (answer.status !== 200) assertInProgress(answer)
        await becomesApproved(user)
      })
      assert.equal(made, 1)
    })
  }

  test('200 submissions that follow each other closely make one customer, whoever comes when', async () => {
    const { user, body } = await candidate()
    const made = await customersMade(async () => {
      const pending: Promise<Answer>[] = []
      for (let index = 0; index < 12; index++) {
        pending.push(submit(user, { ...body, email: `${user}-${index}@example.com` }))
        await new Promise((resolve) => setImmediate(resolve))
      }
      for (const answer of await Promise.all(pending)) if (answer.status !== 200) assertInProgress(answer)
      await becomesApproved(user)
    })
    assert.equal(made, 1)
  })

  test('200 one that read the end-user before another made the customer changes that customer', async () => {
    const { user, body } = await candidate()
    const deps = world.inside
    const business = await authenticateBusiness(deps, world.business.apiKey)
    const gate = Promise.withResolvers<void>()
    const late = {
      ...deps.db,
      transaction: <T>(work: (tx: Tx) => Promise<T>) => gate.promise.then(() => deps.db.transaction(work)),
    }
    const made = await customersMade(async () => {
      const other = { ...body, email: `${user}-late@example.com` }
      const overtaken = submitKyc(
        { ...servicesOf(deps).kyc(deps, null), db: late },
        { business, held: null },
        user,
        other,
        { dryRun: false },
      )
      const first = dataOf(await submit(user, body))
      gate.resolve()
      assert.equal((await overtaken).providerCustomerId, first.providerCustomerId)
      await nothingOpen(user)
    })
    assert.equal(made, 1)
  })
})

describe('a submission that arrives upstream after we had given it up', () => {
  const wire = (method: string, path: string, body: unknown) =>
    request(method, `${world.provider.url}${path}`, body, {
      headers: {
        'api-key': world.provider.apiKey,
        ...(method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
      },
    })

  test('200 the next one gives its data to the customer that came of it; no event is needed', async () => {
    const { user, body } = await candidate(false)
    const { id } = await read(user)
    const { data } = (
      await request('GET', `${world.provider.url}/webhooks`, undefined, {
        headers: { 'api-key': world.provider.apiKey },
      })
    ).body
    for (const webhook of data) await wire('PUT', `/webhooks/${webhook.id}`, { status: 'disabled' })
    const { identifying_information: _, ...partly } = body
    const late = await wire('POST', '/customers', { ...partly, client_reference_id: id })
    assert.equal(late.status, 201, late.text)
    const made = await customersMade(async () => {
      const shown = dataOf(await submit(user, body))
      assert.deepEqual([shown.providerCustomerId, shown.kycStatus], [late.body.id, 'under_review'])
      await nothingOpen(user)
    })
    assert.equal(made, 0)
    for (const webhook of data) await wire('PUT', `/webhooks/${webhook.id}`, { status: 'active' })
    await becomesApproved(user)
  })
})

// The last of this file: the provider is gone after it.
test('503 a provider that is not there: nothing is begun, and what needs no provider goes on', async () => {
  const { user, body } = await candidate()
  await world.provider.stop()
  for (const sent of [body, { ...body, phone: '+12223334449' }]) {
    const answer = await submit(user, sent)
    assertError(answer, 503, 'provider_unavailable', { param: null })
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  assertError(await world.business.call('POST', userPath(user, '/tos-link')), 503, 'provider_unavailable', {
    param: null,
  })
  assertError(await world.business.call('GET', userPath(user, '/kyc-links')), 503, 'provider_unavailable', {
    param: null,
  })
  assert.equal((await read(user)).kycStatus, 'not_started')
  assert.equal(
    dataOf(await world.business.call('POST', userPath(user, '/submit-kyc?dryRun=true'), body)).kycStatus,
    'not_started',
  )
  await nothingOpen(user)
})
