// createEndUser: POST /v0/end-users.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import type { ErrorCode } from '../../src/platform/errors.ts'
import { assertError, dataOf } from '../caller.ts'
import { freshEndUser, freshUserId, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())

const create = (body: unknown, key?: string) =>
  world.business.call('POST', '/v0/end-users', body, key === undefined ? {} : { key })

test('200 the identifier alone is enough, and the end-user is told completely', async () => {
  const externalUserId = freshUserId()
  const { id, createdAt, updatedAt, ...rest } = dataOf(await create({ externalUserId }))
  assert.match(id, /^eu_[0-9a-z]{26}$/)
  assert.equal(new Date(createdAt).toISOString(), createdAt)
  assert.equal(updatedAt, createdAt)
  assert.deepEqual(rest, freshEndUser({ externalUserId }))
})

test('200 e-mail, type and metadata are kept as they were given', async () => {
  const given = {
    externalUserId: freshUserId(),
    email: 'ada+test@example.com',
    type: 'business',
    metadata: { plan: 'gold', 'región ✓': 'são paulo' },
  }
  const { id, createdAt, updatedAt, ...rest } = dataOf(await create(given))
  assert.deepEqual(rest, freshEndUser(given))
  assert.deepEqual(dataOf(await world.business.call('GET', userPath(given.externalUserId))).metadata, given.metadata)
})

test('200 the creation is told to the webhook URL, with the end-user as the answer showed it', async () => {
  const externalUserId = freshUserId()
  const shown = dataOf(await create({ externalUserId }))
  const [event] = await world.business.deliveredEvents(externalUserId, ['end_user.created'])
  assert.deepEqual(event?.payload.data, shown)
})

describe('any identifier of a caller works in the body and, percent-encoded, in the path', () => {
  const names: Record<string, string> = {
    'with a slash': 'team/42',
    'that looks like another path': '../virtual-accounts?x=1#y',
    'that is percent-encoded itself': '100%25%2F',
    'of another script': 'пользователь-用户-उपयोगकर्ता',
    'of emoji': '👩‍👩‍👧‍👦🏳️‍🌈',
    'of spaces inside': 'a b  c',
    'that looks like SQL': `'; drop table end_users; --`,
    'that looks like markup': '<script>alert(1)</script>',
    'of one character': 'x',
    'of 128 characters of four bytes each': '💎'.repeat(128),
  }
  for (const [what, externalUserId] of Object.entries(names)) {
    test(`200 an externalUserId ${what}`, async () => {
      const made = dataOf(await create({ externalUserId }))
      assert.equal(made.externalUserId, externalUserId)
      assert.equal(dataOf(await world.business.call('GET', userPath(externalUserId))).id, made.id)
    })
  }
})

test('200 no two identifiers are taken for the same one, whatever their characters', async () => {
  // A dot or two alone mean a folder in a path, and clients resolve them before they send.
  const identifier = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 24 })
    .filter((text) => !/^\.{1,2}$/.test(text) && !/\p{Cc}/u.test(text) && [...text].length <= 100)
  await fc.assert(
    fc.asyncProperty(identifier, async (text) => {
      const externalUserId = `${freshUserId()} ${text}`
      const made = dataOf(await create({ externalUserId }))
      assert.equal(dataOf(await world.business.call('GET', userPath(externalUserId))).id, made.id)
    }),
    { numRuns: 25 },
  )
})

test('200 metadata may have 50 labels, names of 40 and values of 500 characters', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `${index}`.padStart(40, 'n'))
  const metadata = Object.fromEntries(names.map((name) => [name, '💎'.repeat(500)]))
  assert.deepEqual(dataOf(await create({ externalUserId: freshUserId(), metadata })).metadata, metadata)
})

test('200 another business may use the same identifier for an end-user of its own', async () => {
  const { apiKey } = await world.otherBusiness()
  const externalUserId = freshUserId()
  const ours = dataOf(await create({ externalUserId }))
  const theirs = dataOf(await create({ externalUserId }, apiKey))
  assert.notEqual(ours.id, theirs.id)
})

describe('what is wrong with a body is told by field and rule, without the value', () => {
  const bad: [what: string, body: Record<string, unknown>, code: ErrorCode, param: string][] = [
    ['no identifier', { email: 'a@example.com' }, 'missing_field', 'externalUserId'],
    ['an empty identifier', { externalUserId: '' }, 'invalid_length', 'externalUserId'],
    ['an identifier of 129 characters', { externalUserId: 'x'.repeat(129) }, 'invalid_length', 'externalUserId'],
    ['an identifier that is a number', { externalUserId: 4711 }, 'invalid_type', 'externalUserId'],
    ['an identifier that is null', { externalUserId: null }, 'invalid_type', 'externalUserId'],
    ['an identifier with NUL', { externalUserId: 'canary\u0000x' }, 'invalid_format', 'externalUserId'],
    ['an identifier with a newline', { externalUserId: 'canary\nx' }, 'invalid_format', 'externalUserId'],
    ['an identifier with DEL', { externalUserId: 'canary\u007f' }, 'invalid_format', 'externalUserId'],
    ['an identifier with a C1 control', { externalUserId: 'canary\u0085' }, 'invalid_format', 'externalUserId'],
    ['an identifier with half a character', { externalUserId: 'canary\ud800' }, 'invalid_format', 'externalUserId'],
    ['an e-mail without @', { externalUserId: 'x', email: 'canary.example.com' }, 'invalid_format', 'email'],
    ['an e-mail of 321 characters', { externalUserId: 'x', email: `a@${'b'.repeat(319)}` }, 'invalid_length', 'email'],
    ['an e-mail that is null', { externalUserId: 'x', email: null }, 'invalid_type', 'email'],
    ['an unknown type', { externalUserId: 'x', type: 'canary' }, 'invalid_value', 'type'],
    ['metadata that is a list', { externalUserId: 'x', metadata: ['canary'] }, 'invalid_type', 'metadata'],
    ['a label that is a number', { externalUserId: 'x', metadata: { a: 1 } }, 'invalid_type', 'metadata.a'],
    ['a label within a label', { externalUserId: 'x', metadata: { a: { b: 'canary' } } }, 'invalid_type', 'metadata.a'],
    [
      'a label of 501 characters',
      { externalUserId: 'x', metadata: { a: 'x'.repeat(501) } },
      'invalid_length',
      'metadata.a',
    ],
    ['a label with NUL', { externalUserId: 'x', metadata: { a: 'canary\u0000' } }, 'invalid_format', 'metadata.a'],
    [
      'a label with half a character',
      { externalUserId: 'x', metadata: { a: 'canary\udc00' } },
      'invalid_format',
      'metadata.a',
    ],
  ]
  for (const [what, body, code, param] of bad) {
    test(`400 ${what}`, async () => {
      assertError(await create(body), 400, code, { param, details: { [param]: code }, silentOn: ['canary'] })
    })
  }

  for (const [what, name] of [
    ['of 41 characters', 'n'.repeat(41)],
    ['with NUL', 'a\u0000'],
    ['with half a character', 'a\ud800'],
  ] as const) {
    test(`400 a label whose name is ${what}`, async () => {
      const answer = await create({ externalUserId: freshUserId(), metadata: { [name]: 'x' } })
      assertError(answer, 400, 'invalid_value', { param: 'metadata', silentOn: [name] })
    })
  }

  test('400 metadata of 51 labels', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`n${index}`, 'x']))
    const answer = await create({ externalUserId: freshUserId(), metadata })
    assertError(answer, 400, 'invalid_length', { param: 'metadata', details: { metadata: 'invalid_length' } })
  })

  test('400 an unknown field, with the one that was probably meant', async () => {
    const answer = await create({ external_user_id: 'canary', emial: 'canary@example.com' })
    const { details } = assertError(answer, 400, answer.body.error.code, {
      param: answer.body.error.param,
      details: { external_user_id: 'unknown_field', emial: 'unknown_field', externalUserId: 'missing_field' },
      silentOn: ['canary'],
    })
    const hints = new Map(details.map((detail) => [detail.param, detail.message]))
    assert.match(hints.get('external_user_id') ?? '', /Did you mean `externalUserId`\?/)
    assert.match(hints.get('emial') ?? '', /Did you mean `email`\?/)
  })

  test('400 an identifier or e-mail that is a number is told that it must be a string', async () => {
    const { details } = assertError(await create({ externalUserId: 5, email: 6 }), 400, 'invalid_type', {
      param: 'externalUserId',
      details: { externalUserId: 'invalid_type', email: 'invalid_type' },
    })
    assert.deepEqual(
      details.map(({ message }) => message),
      ['externalUserId must be a string.', 'email must be a string.'],
    )
  })

  test('400 every problem of a body is listed in one answer', async () => {
    const answer = await create({ email: 7, type: 'person', metadata: { a: 1 } })
    assertError(answer, 400, answer.body.error.code, {
      param: answer.body.error.param,
      details: {
        externalUserId: 'missing_field',
        email: 'invalid_type',
        type: 'invalid_value',
        'metadata.a': 'invalid_type',
      },
    })
  })

  test('400 a body that is no object', async () => {
    for (const raw of ['[]', 'null', '"x"', '1']) {
      assertError(await create(undefined), 400, 'body_required', { param: null })
      const answer = await world.business.call('POST', '/v0/end-users', undefined, {
        raw,
        headers: { 'content-type': 'application/json' },
      })
      assertError(answer, 400, 'body_required', { param: null })
    }
  })

  test('400 an id that no path can name: a step of the path itself', async () => {
    for (const externalUserId of ['.', '..'])
      assertError(await create({ externalUserId }), 400, 'invalid_value', { param: 'externalUserId' })
    for (const externalUserId of ['...', '.a', `..${freshUserId()}`])
      assert.notEqual((await create({ externalUserId })).status, 400, externalUserId)
  })

  test('400 a body nested too deeply', async () => {
    const raw = `{"externalUserId":"x","metadata":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`
    const headers = { 'content-type': 'application/json' }
    assertError(await world.business.call('POST', '/v0/end-users', undefined, { raw, headers }), 400, 'json_too_deep', {
      param: null,
    })
  })
})

test('409 a second end-user with the same externalUserId is refused and names the existing id', async () => {
  const externalUserId = `${freshUserId()}/ü`
  const first = dataOf(await create({ externalUserId, metadata: { kept: 'yes' } }))
  const { details, resolution } = assertError(
    await create({ externalUserId, metadata: { kept: 'no' } }),
    409,
    'end_user_already_exists',
    { param: 'externalUserId', details: { externalUserId: 'end_user_already_exists' } },
  )
  assert.ok(details[0]?.message.includes(first.id))
  assert.ok(resolution.includes(`GET ${userPath(externalUserId)}`), resolution)
  assert.deepEqual(dataOf(await world.business.call('GET', userPath(externalUserId))).metadata, { kept: 'yes' })
})

test('409 of eight racing creations exactly one succeeds, and one event is told', async () => {
  const externalUserId = freshUserId()
  const answers = await Promise.all(Array.from({ length: 8 }, () => create({ externalUserId })))
  const made = answers.filter(({ status }) => status === 200)
  assert.equal(made.length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    const { details } = assertError(answer, 409, 'end_user_already_exists', { param: 'externalUserId' })
    assert.ok(details[0]?.message.includes(made[0]?.body.data.id))
  }
  const events = dataOf(await world.business.call('GET', `/v0/events?externalUserId=${externalUserId}`))
  assert.deepEqual(
    events.map((event: { eventType: string }) => event.eventType),
    ['end_user.created'],
  )
})
