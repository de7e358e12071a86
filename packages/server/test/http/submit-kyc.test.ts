// submitKyc: POST /v0/end-users/:externalUserId/submit-kyc. Accepted and rejected submissions. The provider's verdicts,
// its failures and the handling of the data are in submit-kyc-*.test.ts.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { assertError, assertSameAnswer, dataOf, until } from '../caller.ts'
import { canaryPrefix } from '../canary-search.ts'
import { endUserMembers, freshUserId, kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

// Only what its terms page gave out counts as a signed agreement.
const world = await openWorld({ alone: true, sandbox: { strictAgreements: true } })
after(() => world.stop())

const submit = (user: string, body: unknown, query = '') =>
  world.business.call('POST', userPath(user, `/submit-kyc${query}`), body)

/** An end-user who has accepted the terms, with a body that the provider approves. */
async function ready(): Promise<{ user: string; body: Record<string, unknown> }> {
  const user = await world.business.user()
  return { user, body: kycBody(await world.business.acceptTerms(user), user) }
}

test('200 the data goes to the provider, and the answer is the end-user as the provider left it', async () => {
  const { user, body } = await ready()
  const before = await world.provider.counts()
  const shown = dataOf(await submit(user, body))
  assert.deepEqual(Object.keys(shown), endUserMembers)
  assert.equal(shown.externalUserId, user)
  assert.equal(shown.kycStatus, 'under_review')
  assert.equal(shown.providerStatus, 'under_review')
  assert.equal(shown.tosStatus, 'approved')
  assert.deepEqual(shown.rails, {
    usd: 'pending',
    eur: 'pending',
    mxn: 'pending',
    brl: 'inactive',
    gbp: 'inactive',
    cop: 'inactive',
  })
  assert.deepEqual(shown.requirements.currentlyDue, [])
  assert.notDeepEqual(shown.requirements.pendingReview, [])
  assert.deepEqual(Object.keys(shown.nextAction), ['kind', 'expectedBy'])
  const daysToWait = (Date.parse(shown.nextAction.expectedBy) - Date.now()) / 86_400_000
  assert.ok(daysToWait > 0.9 && daysToWait < 3.1, 'the next business day')
  assert.match(shown.providerCustomerId, /^[0-9a-f-]{36}$/)
  assert.equal((await world.provider.counts())['customers'], (before['customers'] ?? 0) + 1)
})

test('200 no line of the log holds anything of what was sent', async () => {
  const { user, body } = await ready()
  const before = world.log.length
  dataOf(await submit(user, body))
  const said = world.log.slice(before).join('\n')
  assert.match(said, /submit-kyc/)
  for (const sent of [canaryPrefix, 'Lovelace', '123-45-6789', body['email'], '1990-12-10'])
    assert.ok(!said.includes(String(sent)), String(sent))
})

test('200 each step is told to the webhook URL: created, terms accepted, KYC updated until it is approved', async () => {
  const { user, body } = await ready()
  dataOf(await submit(user, body))
  await until(
    'the approval',
    async () => dataOf(await world.business.call('GET', userPath(user))).kycStatus === 'approved',
  )
  const types = ['end_user.created', 'end_user.tos.accepted', 'end_user.kyc.updated']
  const events = await world.business.deliveredEvents(user, types)
  assert.deepEqual(new Set(events.map(({ eventType }) => eventType)), new Set(types))
  const steps = events
    .filter(({ eventType }) => eventType === 'end_user.kyc.updated')
    .map(({ payload }) => payload.data)
  assert.equal(steps.at(0)?.['kycStatus'], 'under_review')
  assert.equal(steps.at(-1)?.['kycStatus'], 'approved')
  for (const step of steps) assert.deepEqual(Object.keys(step), endUserMembers)
})

test('200 properties we do not know pass through', async () => {
  const { user, body } = await ready()
  dataOf(await submit(user, { ...body, a_property_of_tomorrow: { deep: [1, 'x'] }, XRay: true }))
})

test('200 an image of a mebibyte is taken, far above what other operations take', async () => {
  const { user, body } = await ready()
  const [ssn, license] = body['identifying_information'] as Record<string, string>[]
  const [head = '', data = ''] = String(license?.['image_front']).split(',')
  const image = `${head},${Buffer.concat([Buffer.from(data, 'base64'), Buffer.alloc(1_048_576)]).toString('base64')}`
  dataOf(await submit(user, { ...body, identifying_information: [ssn, { ...license, image_front: image }] }))
})

test('200 the agreement is kept: a later submission need not send it again', async () => {
  const { user, body } = await ready()
  const { email: _, ...withoutEmail } = body
  assert.equal(dataOf(await submit(user, withoutEmail)).kycStatus, 'action_required')
  const { signed_agreement_id: __, ...withoutAgreement } = body
  assert.equal(dataOf(await submit(user, withoutAgreement)).kycStatus, 'under_review')
})

describe('dryRun', () => {
  test('200 it tells what is likely missing, sends nothing and changes nothing', async () => {
    const { user, body } = await ready()
    const [upstream, stored] = [await world.provider.counts(), dataOf(await world.business.call('GET', userPath(user)))]
    const { identifying_information: _, birth_date: __, ...partly } = body
    const shown = dataOf(await submit(user, partly, '?dryRun=true'))
    assert.deepEqual(Object.keys(shown), endUserMembers)
    assert.deepEqual(shown.requirements.currentlyDue.toSorted(), ['date_of_birth', 'tax_identification_number'])
    assert.deepEqual(dataOf(await submit(user, body, '?dryRun=true')).requirements.currentlyDue, [])
    assert.deepEqual(await world.provider.counts(), upstream)
    assert.deepEqual(dataOf(await world.business.call('GET', userPath(user))), stored)
  })

  test('200 terms that are not accepted are one of the things that are missing, not the only one told', async () => {
    const user = await world.business.user()
    const { birth_date: _, ...partly } = kycBody(null, user)
    const shown = dataOf(await submit(user, partly, '?dryRun=true'))
    assert.deepEqual(shown.requirements.currentlyDue, ['terms_of_service_v1', 'date_of_birth'])
    assert.equal(shown.nextAction.kind, 'accept_tos')
  })

  test('400 form is judged like that of a real submission', async () => {
    const { user, body } = await ready()
    const answer = await submit(user, { ...body, birth_date: 'canary' }, '?dryRun=true')
    assertError(answer, 400, 'invalid_kyc_data', { param: 'birth_date', silentOn: ['canary'] })
  })

  test('400 a value that is neither true nor false, or a name that is almost right', async () => {
    const { user, body } = await ready()
    for (const [query, param] of [
      ['?dryRun=maybe', 'dryRun'],
      ['?dryRun=1', 'dryRun'],
      ['?dryrun=true', 'dryrun'],
    ] as const) {
      assertError(await submit(user, body, query), 400, 'invalid_query', { param })
    }
  })
})

describe('what is wrong with the data is told by field and rule, without the value', () => {
  const bad: [what: string, change: Record<string, unknown>, param: string, code: string][] = [
    ['a name that is a number', { first_name: 4711 }, 'first_name', 'invalid_type'],
    ['a name that is null', { last_name: null }, 'last_name', 'invalid_type'],
    ['a name of one letter', { first_name: 'c' }, 'first_name', 'invalid_length'],
    ['a name of 1,025 letters', { first_name: 'canary'.repeat(171) }, 'first_name', 'invalid_length'],
    ['a name with a control character', { first_name: 'canary\u0007' }, 'first_name', 'invalid_format'],
    ['an e-mail without @', { email: 'canary.example.com' }, 'email', 'invalid_format'],
    ['a phone number without country', { phone: '555-canary' }, 'phone', 'invalid_format'],
    ['a day that does not exist', { birth_date: '1990-02-30' }, 'birth_date', 'invalid_format'],
    ['a child', { birth_date: '2024-01-15' }, 'birth_date', 'invalid_value'],
    ['an address that is text', { residential_address: 'canary' }, 'residential_address', 'invalid_type'],
    [
      'an address without a street',
      { residential_address: { city: 'canary', subdivision: 'CA', country: 'USA' } },
      'residential_address.street_line_1',
      'missing_field',
    ],
    [
      'a country of two letters',
      { residential_address: { street_line_1: '1 canary way', city: 'canary', country: 'US' } },
      'residential_address.country',
      'invalid_value',
    ],
    ['papers that are no list', { identifying_information: {} }, 'identifying_information', 'invalid_type'],
    [
      'a paper of a malformed kind',
      { identifying_information: [{ type: 'A canary', issuing_country: 'USA', number: '1' }] },
      'identifying_information[0].type',
      'invalid_format',
    ],
    [
      'a tax number without the number',
      { identifying_information: [{ type: 'ssn', issuing_country: 'USA' }] },
      'identifying_information[0].number',
      'missing_field',
    ],
    [
      'an image that is no data URI',
      { identifying_information: [{ type: 'passport', issuing_country: 'USA', image_front: 'canary' }] },
      'identifying_information[0].image_front',
      'invalid_format',
    ],
    [
      'an image that is a program',
      {
        identifying_information: [
          { type: 'passport', issuing_country: 'USA', image_front: 'data:image/png;base64,TVqQAAMAAAAEAAAA' },
        ],
      },
      'identifying_information[0].image_front',
      'invalid_format',
    ],
    ['a malformed endorsement', { endorsements: ['A canary'] }, 'endorsements[0]', 'invalid_format'],
    ['an unknown type', { type: 'canary' }, 'type', 'invalid_value'],
    ['a type other than that of the end-user', { type: 'business' }, 'type', 'invalid_value'],
    ['an agreement that is a number', { signed_agreement_id: 4711 }, 'signed_agreement_id', 'invalid_type'],
    ['an empty agreement', { signed_agreement_id: '' }, 'signed_agreement_id', 'invalid_length'],
  ]
  let body: Record<string, unknown> = {}
  let customers: number | undefined
  before(async () => {
    body = (await ready()).body
    customers = (await world.provider.counts())['customers']
  })
  for (const [what, change, param, code] of bad) {
    test(`400 ${what}`, async () => {
      const user = await world.business.user()
      const { identifying_information: papers, ...rest } = body
      const sent =
        param === 'type' && change['type'] === 'business' ? rest : { ...rest, identifying_information: papers }
      const answer = await submit(user, { ...sent, ...change })
      assertError(answer, 400, 'invalid_kyc_data', {
        param,
        details: { [param]: code },
        silentOn: ['canary', '4711', '1990-02-30', '2024-01-15', 'TVqQ'],
      })
    })
  }

  test('400 an image above 10 MiB', async () => {
    const { user, body } = await ready()
    const image = `data:image/png;base64,${Buffer.alloc(10 * 1_048_576 + 1).toString('base64')}`
    const papers = [{ type: 'passport', issuing_country: 'USA', number: '1', image_front: image }]
    const param = 'identifying_information[0].image_front'
    const answer = await submit(user, { ...body, identifying_information: papers })
    assertError(answer, 400, 'invalid_kyc_data', { param, details: { [param]: 'invalid_length' } })
  })

  test('400 every problem is listed at once', async () => {
    const { user, body } = await ready()
    const answer = await submit(user, { ...body, first_name: 1, email: 'x', birth_date: 'y', endorsements: ['Z'] })
    assertError(answer, 400, 'invalid_kyc_data', {
      param: answer.body.error.details[0].param,
      details: {
        first_name: 'invalid_type',
        email: 'invalid_format',
        birth_date: 'invalid_format',
        'endorsements[0]': 'invalid_format',
      },
    })
  })

  test('400 a known name in camel case is not lost on the provider: the right one is named', async () => {
    const { user, body } = await ready()
    const { signed_agreement_id: agreement, birth_date: birthDate, ...rest } = body
    const { details } = assertError(
      await submit(user, { ...rest, signedAgreementId: agreement, birthDate }),
      400,
      'invalid_kyc_data',
      {
        param: 'signedAgreementId',
        details: { signedAgreementId: 'unknown_field', birthDate: 'unknown_field' },
        silentOn: [String(agreement), String(birthDate)],
      },
    )
    assert.match(details[0]?.message ?? '', /did you mean `signed_agreement_id`\?/)
    assert.match(details[1]?.message ?? '', /did you mean `birth_date`\?/)
  })

  test('400 no body, or one that is no object', async () => {
    const user = await world.business.user()
    assertError(await submit(user, undefined), 400, 'body_required', { param: null })
    assertError(await submit(user, []), 400, 'body_required', { param: null })
    assertError(await submit(user, {}), 400, 'invalid_length', { param: null })
  })

  test('400 a body nested more than 32 levels deep, also where properties pass through', async () => {
    const user = await world.business.user()
    const raw = `{"a_property_of_tomorrow":${'['.repeat(40)}${']'.repeat(40)}}`
    const headers = { 'content-type': 'application/json' }
    const answer = await world.business.call('POST', userPath(user, '/submit-kyc'), undefined, { raw, headers })
    assertError(answer, 400, 'json_too_deep', { param: null })
  })

  test('nothing of all this went upstream', async () => {
    assert.equal((await world.provider.counts())['customers'], customers)
  })
})

test('404 an end-user that does not exist, or is of another business: one answer, and nothing goes upstream', async () => {
  const { user: newUser } = await world.otherBusiness()
  const foreign = await newUser()
  const before = await world.provider.counts()
  const body = kycBody(randomUUID(), foreign)
  const [absent, others] = [await submit(freshUserId(), body), await submit(foreign, body)]
  const { resolution } = assertError(absent, 404, 'holder_not_found', { param: 'externalUserId' })
  assert.match(resolution, /POST \/v0\/end-users/)
  assertSameAnswer(others, absent)
  assert.deepEqual(await world.provider.counts(), before)
})

test('422 terms that are not accepted, with the way to the link; nothing goes upstream', async () => {
  const user = `${freshUserId()}/ü`
  dataOf(await world.business.call('POST', '/v0/end-users', { externalUserId: user }))
  const before = await world.provider.counts()
  const { resolution } = assertError(await submit(user, kycBody(null, freshUserId())), 422, 'tos_not_accepted', {
    param: 'signed_agreement_id',
  })
  assert.ok(resolution.includes(`POST ${userPath(user, '/tos-link')}`), resolution)
  assert.deepEqual(await world.provider.counts(), before)
})

test('422 an agreement that the provider did not give out, without repeating it; the right one is taken afterwards', async () => {
  const { user, body } = await ready()
  const forged = randomUUID()
  const { resolution } = assertError(
    await submit(user, { ...body, signed_agreement_id: forged }),
    422,
    'signed_agreement_invalid',
    { param: 'signed_agreement_id', silentOn: [forged] },
  )
  assert.match(resolution, /tos-link/)
  const shown = dataOf(await world.business.call('GET', userPath(user)))
  assert.deepEqual([shown.tosStatus, shown.kycStatus, shown.providerCustomerId], ['pending', 'not_started', null])
  assert.equal(dataOf(await submit(user, body)).kycStatus, 'under_review')
})

test('422 an e-mail address that the provider holds for another end-user of the business', async () => {
  const first = await ready()
  dataOf(await submit(first.user, first.body))
  const second = await ready()
  const email = String(first.body['email'])
  const { details } = assertError(await submit(second.user, { ...second.body, email }), 422, 'provider_rejected', {
    param: 'email',
    silentOn: [email],
  })
  assert.match(details[0]?.message ?? '', /belongs to another of your end-users/)
  const shown = dataOf(await world.business.call('GET', userPath(second.user)))
  assert.deepEqual([shown.kycStatus, shown.providerCustomerId], ['not_started', null])
})

test('422 an e-mail address of another business’s customer is refused in the words of a refusal that is not explained', async () => {
  const { user, body } = await ready()
  dataOf(await submit(user, body))
  const { apiKey: key, id: customerId, user: newUser } = await world.otherBusiness()
  const conflictsOf = async (id: string) =>
    dataOf(await world.business.call('GET', `/v0/customers/${id}`, undefined, { key: world.operator.secret }))
      .emailConflicts
  const own = await conflictsOf(world.business.id)
  assert.deepEqual(await conflictsOf(customerId), { count: 0, lastAt: null })
  const refusalOf = async (email: unknown): Promise<string> => {
    const stranger = await newUser()
    const path = `/v0/end-users/${stranger}/submit-kyc`
    const link = await world.business.call('POST', `/v0/end-users/${stranger}/tos-link`, {}, { key })
    const accepted = await world.provider.control('POST', '/terms/accept', { link: link.body.data.tosLink })
    const { signed_agreement_id } = accepted.body
    const answer = await world.business.call('POST', path, { ...body, email, signed_agreement_id }, { key })
    assert.equal(answer.status, 422, answer.text)
    return answer.text.replaceAll(answer.body.error.requestId, 'req')
  }
  const taken = await refusalOf(body['email'])
  const fault = { method: 'POST', path: '^/v0/customers$', mode: 'status', status: 400, body: { message: '' } }
  await world.provider.fails(fault)
  assert.equal(taken, await refusalOf(`${user}-free@example.com`))
  assert.doesNotMatch(taken, /exist|another|already|email/i)
  // The operator sees what the business does not.
  const { count, lastAt } = await conflictsOf(customerId)
  assert.deepEqual([count, Number.isNaN(Date.parse(lastAt))], [1, false])
  assert.deepEqual(await conflictsOf(world.business.id), own)
  assert.ok(
    world.log.some((line) => line.includes('email address of another business rejected') && line.includes(customerId)),
  )
})

test('429 more than ten submissions in a minute for one end-user; others are not held up', async () => {
  const [{ user, body }, other] = [await ready(), await ready()]
  for (let sent = 0; sent < 10; sent++) dataOf(await submit(user, body, '?dryRun=true'))
  const answer = await submit(user, body, '?dryRun=true')
  assertError(answer, 429, 'rate_limited', { param: null })
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
  dataOf(await submit(other.user, other.body, '?dryRun=true'))
})
