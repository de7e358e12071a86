// The matrix: every operation of openapi.json against everything that follows from its authentication and description.
// Each response is compared with the one that the document declares for its status. Problems of the service itself are
// in every-operation-trouble.test.ts.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { formatApiKey } from '../../src/businesses/api-key.rules.ts'
import { type Scope, scopes } from '../../src/platform/http/caller.ts'
import { assertDeclared, assertError, assertSameAnswer, isFor, type Operation, operations } from '../caller.ts'
import { ownPage, pageShowing, signIn } from '../console-browser.ts'
import { openWorld } from '../world.ts'
import { announceBody } from './announced-body.ts'
import {
  absentNames,
  asksForAbsent,
  bodyOf,
  credentialOf,
  pathOf,
  pathWith,
  realNames,
  sender,
} from './operation-matrix.ts'

const world = await openWorld({
  alone: true,
  env: { KYC_SUBMISSIONS_PER_MINUTE: '10000' },
  limits: { failedAuthPerMinute: 100_000 },
})
after(() => world.stop())
const names = await realNames(world)
const stranger = await world.otherBusiness()
const { apiKey } = world.business
const { secret: adminSecret } = world.operator
const ofBusiness = operations.filter((operation) => operation.auth === 'business')
const ofOperator = operations.filter((operation) => operation.auth === 'operator')
const guarded = [...ofBusiness, ...ofOperator]
const withBody = operations.filter((operation) => operation.body !== null)

const send = sender(world, names)

const withAuthorization = (operation: Operation, authorization: string) =>
  send(operation, { key: null, headers: { authorization } })

describe('401', () => {
  const dead: Promise<string> = (async () => {
    const { id, key } = (await world.business.call('POST', '/v0/api-keys', {})).body.data
    await world.business.call('DELETE', `/v0/api-keys/${id}`)
    return key
  })()
  const unknownKey = formatApiKey('test', world.inside.randomBytes(64))

  for (const operation of ofBusiness) {
    test(`401 ${operation.id}: no key, a malformed, an unknown, a revoked one, another scheme, the operator secret`, async () => {
      assertError(await send(operation, { key: null }), 401, 'api_key_missing')
      assertError(await withAuthorization(operation, 'Bearer'), 401, 'api_key_missing')
      for (const key of ['svc_', 'svc_test_tooshort', `${apiKey}x`, 'sk_live_1', apiKey.replace('svc_', 'SVC_')])
        assertError(await send(operation, { key }), 401, 'api_key_malformed')
      assertError(await send(operation, { key: unknownKey }), 401, 'api_key_invalid')
      assertError(await send(operation, { key: await dead }), 401, 'api_key_invalid')
      assertError(await withAuthorization(operation, `Basic ${btoa(`${apiKey}:`)}`), 401, 'wrong_auth_scheme')
      assertError(await withAuthorization(operation, apiKey), 401, 'wrong_auth_scheme')
      assertError(await send(operation, { key: adminSecret }), 401, 'wrong_auth_scheme')
    })
  }
  for (const operation of ofOperator) {
    test(`401 ${operation.id}: no secret, a wrong one, another scheme, the key of a business`, async () => {
      assertError(await send(operation, { key: null }), 401, 'api_key_missing')
      assertError(await send(operation, { key: `${adminSecret}x` }), 401, 'admin_secret_invalid')
      assertError(await withAuthorization(operation, `Basic ${adminSecret}`), 401, 'wrong_auth_scheme')
      assertError(await send(operation, { key: apiKey }), 401, 'wrong_auth_scheme')
    })
  }
})

describe('403', async () => {
  const suspended = await world.otherBusiness()
  await world.business.call('PATCH', `/v0/customers/${suspended.id}`, { status: 'suspended' }, { key: adminSecret })
  const weakKeys = new Map<string, string>()
  for (const scope of new Set(ofBusiness.flatMap((operation) => operation.scope ?? []))) {
    assert.ok(scopes.includes(scope as Scope), scope)
    const rest = scopes.filter((each) => each !== scope)
    weakKeys.set(scope, (await world.business.call('POST', '/v0/api-keys', { scopes: rest })).body.data.key)
  }
  for (const operation of ofBusiness) {
    test(`403 ${operation.id}: every scope but the one it needs, and a business that is suspended`, async () => {
      assertError(await send(operation, { key: suspended.apiKey }), 403, 'business_suspended')
      if (operation.scope === null) return
      const answer = await send(operation, { key: weakKeys.get(operation.scope) ?? '' })
      assertError(answer, 403, 'insufficient_scope')
      assert.match(answer.headers.get('www-authenticate') ?? '', new RegExp(`scope="${operation.scope}"`))
    })
  }
})

describe('a cookie of the console in place of a credential', async () => {
  const [business, operator] = [await signIn(world.url, { apiKey }), await signIn(world.url, { adminSecret })]
  for (const operation of guarded) {
    const [own, other] = operation.auth === 'operator' ? [operator, business] : [business, operator]
    const ask = (headers: Record<string, string>) =>
      world.business.call(operation.method, pathOf(operation, absentNames), bodyOf(operation, absentNames), {
        key: null,
        headers,
        unchecked: 'openapi.json describes the API for callers with a key',
      })
    test(`401, 403, 409 ${operation.id}: from another page, of a session that ended, of the other kind, of another session`, async () => {
      assertError(await ask({ cookie: own.cookie }), 403, 'cross_site_request')
      assertError(await ask({ ...ownPage, cookie: `${own.cookie}x` }), 401, 'console_session_invalid')
      assertError(await ask({ ...pageShowing(other.session), cookie: other.cookie }), 401, 'wrong_auth_scheme')
      assertError(await ask({ ...pageShowing(other.session), cookie: own.cookie }), 409, 'console_session_changed')
    })
  }
})

describe('404', () => {
  for (const operation of guarded.filter(asksForAbsent)) {
    if (operation.auth === 'operator') {
      test(`404 ${operation.id}: what is absent`, async () => {
        assert.equal((await send(operation, { path: pathOf(operation, absentNames) })).status, 404)
      })
    } else {
      test(`404 ${operation.id}: what belongs to another business reads byte for byte as absent`, async () => {
        const as = (whose: typeof names) =>
          send(operation, { key: stranger.apiKey, path: pathOf(operation, whose), body: bodyOf(operation, whose) })
        const foreign = await as(names)
        assert.equal(foreign.status, 404, foreign.text)
        const [, named] = /^\/v0\/(?:end-users|virtual-accounts)\/\{(\w+)\}/.exec(operation.path) ?? []
        if (named) assert.equal(foreign.body.error.param, named)
        assertSameAnswer(foreign, await as(absentNames))
      })
    }
  }
})

describe('405', () => {
  const methodsOf = Map.groupBy(operations, ({ path }) => path)
  // `/v0/deliveries/retry` is also what a path with an id takes.
  for (const [path, known] of methodsOf) {
    test(`405 ${path}: every other method, with what it takes`, async () => {
      const taken = operations
        .filter((operation) => isFor(operation, operation.method, path))
        .map(({ method }) => method)
      const [first] = known
      assert.ok(first)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !taken.includes(each))) {
        const unchecked = 'openapi.json has no such method'
        const answer = await world.business.call(method, pathOf(first, names), undefined, { unchecked })
        assertError(answer, 405, 'method_not_allowed')
        const allowed = answer.headers.get('allow')?.split(', ') ?? []
        assert.deepEqual(new Set(allowed), new Set([...taken, ...(taken.includes('GET') ? ['HEAD'] : [])]))
      }
    })
  }
})

describe('413 and 415', () => {
  // Those that take no body included: one that comes all the same is read.
  for (const operation of operations.filter(({ method }) => method !== 'GET')) {
    test(`413 ${operation.id}: a body larger than any, refused before it is sent`, async () => {
      const credential = credentialOf(world, operation)
      const answer = await announceBody(operation.method, `${world.url}${pathOf(operation, names)}`, {
        'content-length': 40 * 1024 * 1024,
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
      })
      assertDeclared(operation, answer)
      assertError(answer, 413, 'payload_too_large', { resolution: /at most \d+ bytes/ })
    })
    test(`415 ${operation.id}: a body that is no JSON by its content type`, async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
        const answer = await send(operation, { raw: '{}', headers: { 'content-type': type } })
        assertError(answer, 415, 'unsupported_media_type')
        assert.match(answer.headers.get('accept-post') ?? '', /application\/json/)
      }
    })
  }
})

describe('400', () => {
  const isClosed = (operation: Operation) => operation.body?.['additionalProperties'] === false
  for (const operation of withBody.filter(({ auth }) => auth !== 'none')) {
    test(`400 ${operation.id}: no JSON, no object, too deep, unknown fields, fields of another type`, async () => {
      assertError(await send(operation, { raw: '{"a":' }), 400, 'invalid_json')
      assertError(await send(operation, { raw: Buffer.from([0x22, 0xff, 0x22]) }), 400, 'invalid_json')
      assertError(await send(operation, { raw: `${'['.repeat(40)}${']'.repeat(40)}` }), 400, 'json_too_deep')
      for (const body of [[], 'text', 7, true, null]) assertError(await send(operation, { body }), 400, 'body_required')
      if (operation.bodyRequired) assertError(await send(operation, { body: undefined, raw: '' }), 400, 'body_required')
      if (!isClosed(operation)) return
      const valid = bodyOf(operation, names) as Record<string, unknown>
      assertError(await send(operation, { body: { ...valid, nonsense: 1 } }), 400, 'unknown_field', {
        param: 'nonsense',
      })
      for (const [field, schema] of Object.entries(operation.body?.['properties'] ?? {})) {
        const types = [(schema as { type: string | string[] }).type].flat()
        const wrong = types.includes('string') ? { a: 1 } : 'text'
        const answer = await send(operation, { body: { ...valid, [field]: wrong } })
        assert.equal(answer.status, 400, answer.text)
        assert.equal(answer.body.error.param, field)
      }
    })
  }
  for (const operation of guarded.filter(({ query }) => query.length > 0)) {
    test(`400 ${operation.id}: a query parameter it does not know`, async () => {
      const path = pathOf(operation, names)
      const answer = await send(operation, { path: `${path}${path.includes('?') ? '&' : '?'}nonsense=1` })
      assertError(answer, 400, 'invalid_query', { param: 'nonsense' })
    })
  }
  for (const operation of guarded.filter(({ path }) => path.includes('{'))) {
    test(`400 ${operation.id}: a path that names nothing there could be`, async () => {
      for (const text of ['x'.repeat(129), '%00', 'a%0Ab', '%ff'])
        assertError(await send(operation, { path: pathWith(operation, text) }), 400, 'invalid_path')
    })
  }
})

describe('Idempotency-Key', async () => {
  const { key: fresh } = (await world.business.call('POST', '/v0/api-keys', {}, { key: stranger.apiKey })).body.data
  // Of KYC nothing is looked at, the key included, for an end-user who does not exist.
  const withEndUser = { ...absentNames, externalUserId: await stranger.user() }
  for (const operation of operations.filter(({ takesIdempotencyKey }) => takesIdempotencyKey)) {
    test(`400, 409 and 422 ${operation.id}: a bad key, one whose request still runs, one that was used for another body`, async () => {
      const key = `matrix-${operation.id}`
      const path = pathOf(operation, operation.id === 'submitKyc' ? withEndUser : absentNames)
      const repeat = (value = key) =>
        send(operation, {
          key: fresh,
          path,
          body: bodyOf(operation, absentNames),
          headers: { 'idempotency-key': value },
        })
      assertError(await repeat('k'.repeat(256)), 400, 'invalid_header', { param: 'Idempotency-Key' })
      const first = await repeat()
      assert.ok(first.status < 500, first.text)
      const { db } = world.inside
      await db.transaction((tx) => tx`update idempotency_keys set status = null, response = null where key = ${key}`)
      assertError(await repeat(), 409, 'idempotency_in_progress')
      await db.transaction((tx) => tx`update idempotency_keys set fingerprint = 'other' where key = ${key}`)
      assertError(await repeat(), 422, 'idempotency_key_reused')
    })
  }
})
