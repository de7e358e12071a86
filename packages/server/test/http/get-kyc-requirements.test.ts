// GET /v0/kyc-requirements

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { kycTypes } from '../../src/end-users/kyc/form/country.rules.ts'
import { businessFields, individualFields } from '../../src/end-users/kyc/form/fields.rules.ts'
import { taxIdTypes } from '../../src/end-users/kyc/form/papers.rules.ts'
import { checkKycSubmission } from '../../src/end-users/kyc/form/submission.rules.ts'
import { isCountry, isInEea } from '../../src/platform/values/country-codes.ts'
import { assertError } from '../caller.ts'
import { freshUserId } from '../people.ts'
import { openWorld } from '../world.ts'
import { bodyFor, fullBody, type KycAnswer, needsIn, withoutNeed } from './kyc-answer.ts'

const world = await openWorld({ alone: true, env: { KYC_SUBMISSIONS_PER_MINUTE: '10000' } })
after(() => world.stop())
const { call } = world.business

async function ask(query: string): Promise<KycAnswer> {
  const answer = await call('GET', `/v0/kyc-requirements?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const countries = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c))).filter(isCountry)

test('200 in the USA an ssn or itin alone, photo id advised, state and postal code in every address', async () => {
  const answer = await ask('country=usa')
  assert.deepEqual([answer.country, answer.type, answer.rails], ['USA', 'individual', ['usd']])
  assert.deepEqual([answer.endorsements, answer.termsOfService], [['base'], ['v1']])
  const { taxId, photoId, oneDocumentMayServeAsBoth } = answer.identityDocuments
  assert.deepEqual([taxId.types, taxId.required, photoId.required], [['ssn', 'itin'], true, false])
  assert.match(photoId.note, /10,000 USD/)
  assert.equal(oneDocumentMayServeAsBoth, false)
  assert.deepEqual(
    answer.fields.filter(({ required }) => required === 'always').map(({ field }) => field),
    [
      'first_name',
      'last_name',
      'email',
      'birth_date',
      'residential_address.street_line_1',
      'residential_address.city',
      'residential_address.country',
      'residential_address.subdivision',
      'residential_address.postal_code',
      'identifying_information',
    ],
  )
  assert.deepEqual(
    [answer.addressRules.subdivisionRequired, answer.addressRules.postalCodeRequired, answer.associatedPersons],
    [true, 'always', null],
  )
  assert.deepEqual(answer.images, {
    types: ['png', 'jpeg', 'pdf', 'heic', 'tiff'],
    bytesMax: 10_485_760,
    pixelsMin: 200,
  })
})

test('200 an account that is paid in EUR, pays out EURC, or is of an end-user in the EEA wants travel rule data', async () => {
  const fields = async (query: string) => (await call('GET', `/v0/kyc-requirements?${query}`)).body.data.accountFields
  const field = 'destination.travel_rule_data'
  const [french] = await fields('country=fra')
  assert.deepEqual([french.field, french.required], [field, 'always'])
  for (const [query, rule] of [
    ['country=bra', /: for every account that pays out EURC$/],
    ['country=bra&rails=usd,eur', /every account that accepts EUR, for every account that pays out EURC$/],
    ['country=usa', /above 3,000 USD$/],
  ] as const) {
    const [told] = await fields(query)
    assert.deepEqual([told.field, told.required], [field, 'conditional'])
    assert.match(told.rule, rule)
  }
})

test('200 in the European Economic Area a tax id of its own beside a photo id, nationalities, birth place, purpose and work', async () => {
  const answer = await ask('country=FRA&rails=usd,eur')
  assert.deepEqual(
    [answer.endorsements, answer.termsOfService],
    [
      ['base', 'sepa'],
      ['v1', 'v2'],
    ],
  )
  assert.equal(answer.identityDocuments.oneDocumentMayServeAsBoth, false)
  assert.ok(!answer.identityDocuments.taxId.types.includes('passport'))
  const always = answer.fields.filter(({ required }) => required === 'always').map(({ requirement }) => requirement)
  for (const name of ['nationality', 'place_of_birth', 'sof_individual_primary_purpose', 'employment_status'])
    assert.ok(always.includes(name), name)
  const purpose = answer.fields.find(({ field }) => field === 'account_purpose')
  assert.ok(purpose?.allowed?.includes('receive_salary'))
  assert.ok(answer.additionalForHighRisk.every(({ field }) => !/^(account_purpose|employment_status)$/.test(field)))
  assert.equal(answer.additionalForHighRisk.length, 4)
})

test('200 elsewhere one document may be both, and types the provider does not name for the country are said to be all there are', async () => {
  const named = await ask('country=arg&rails=mxn')
  assert.deepEqual(named.identityDocuments.taxId.types, ['cuil', 'cdi', 'national_id', 'other', 'passport'])
  assert.equal(named.identityDocuments.taxId.typesAreNamed, true)
  const unnamed = await ask('country=MEX&rails=mxn')
  assert.equal(unnamed.identityDocuments.taxId.typesAreNamed, false)
  const { types, usual } = unnamed.identityDocuments.taxId
  assert.deepEqual(types.toSorted(), [...taxIdTypes, 'passport', 'national_id'].toSorted())
  assert.deepEqual(types.slice(0, 3), ['rfc', 'curp', 'passport'], 'the usual ones come first')
  assert.deepEqual(usual[1], { type: 'curp', name: 'CURP', form: 'AAAA999999AAAAAAX9' })
  assert.match(unnamed.identityDocuments.taxId.note, /all of its types are listed/)
  for (const { identityDocuments } of [named, unnamed]) {
    assert.equal(identityDocuments.oneDocumentMayServeAsBoth, true)
    assert.equal(identityDocuments.photoId.required, true)
  }
})

test('200 a company: its papers, its people, no photo id of its own', async () => {
  const answer = await ask('country=GBR&rails=gbp,gbp,usd&type=business')
  assert.deepEqual(
    [answer.rails, answer.endorsements],
    [
      ['gbp', 'usd'],
      ['faster_payments', 'base'],
    ],
  )
  assert.deepEqual(answer.documents.requiredPurposes, ['business_formation', 'ownership_information'])
  assert.equal(answer.identityDocuments.photoId.required, false)
  const names = answer.associatedPersons?.fields.map(({ field }) => field) ?? []
  for (const name of ['first_name', 'identifying_information', 'has_control', 'title']) assert.ok(names.includes(name))
  assert.deepEqual(answer.additionalForHighRisk, [])
})

test('200 every country and type: a body of what is always needed misses nothing, and without any one of it something', async () => {
  assert.equal(countries.length, 250)
  let left = 0
  for (const type of kycTypes) {
    for (const country of countries) {
      const answer = await ask(`country=${country}&type=${type}`)
      const body = bodyFor(answer)
      assert.deepEqual(body.missing, [], `${type} ${country}`)
      for (const need of needsIn(answer)) {
        const without = withoutNeed(answer, body.value, need)
        assert.ok(without.includes(need.requirement), `${type} ${country} without ${need.field}: ${without}`)
        left += 1
      }
    }
  }
  assert.ok(left > 250 * 20, `${left} bodies with something left out`)
})

test('200 a body of any mixture of the documents that are accepted is complete exactly when the answer says so', async () => {
  const answers = new Map<string, KycAnswer>()
  for (const country of ['USA', 'FRA', 'AUT', 'MEX', 'ARG', 'ABW', 'ARE'])
    answers.set(country, await ask(`country=${country}`))
  const types = ['ssn', 'itin', 'tin', 'si', 'curp', 'cuil', 'emirates_id', 'other', 'passport', 'national_id', 'visa']
  const anyPaper = fc.record({ type: fc.constantFrom(...types), numbered: fc.boolean(), pictured: fc.boolean() })
  const photoIds = ['passport', 'national_id', 'visa']
  // Only a photo id may come without its number.
  const paper = anyPaper.map((each) => ({ ...each, numbered: each.numbered || !photoIds.includes(each.type) }))
  fc.assert(
    fc.property(fc.constantFrom(...answers.values()), fc.array(paper, { maxLength: 3 }), (answer, papers) => {
      const { taxId, photoId, oneDocumentMayServeAsBoth } = answer.identityDocuments
      const isTaxId = (each: (typeof papers)[number]) => each.numbered && taxId.types.includes(each.type)
      const isPhotoId = (each: (typeof papers)[number]) => each.pictured && photoId.types.includes(each.type)
      if (!oneDocumentMayServeAsBoth) assert.ok(!papers.some((each) => isTaxId(each) && isPhotoId(each)))
      const expected = [
        ...(papers.some(isTaxId) ? [] : ['tax_identification_number']),
        ...(papers.some(isPhotoId) || !photoId.required ? [] : ['government_id_verification']),
      ]
      assert.deepEqual(bodyFor(answer, papers).missing, expected)
    }),
  )
})

test('200 the rules in words are the rules: lengths at their bounds, and each allowed value', async () => {
  let bounds = 0
  for (const type of kycTypes) {
    const answer = await ask(`country=FRA&type=${type}`)
    const form = type === 'business' ? businessFields : individualFields
    for (const { field, rule, allowed } of [...answer.fields, ...answer.additionalForHighRisk]) {
      const accepts = (value: string) => {
        const given = /a list of/.test(rule) ? [value] : value
        return !(field in form) || checkKycSubmission({ type, [field]: given }, { nowMs: Date.now() }).ok
      }
      for (const value of allowed ?? []) assert.ok(accepts(value), `${field} ${value}`)
      if (allowed && form[field]) assert.ok(!accepts('none_of_these'), field)
      const [, least, most] = /text of (\d+) to (\d+) characters/.exec(rule) ?? []
      if (least === undefined || !form[field]) continue
      assert.ok(accepts('x'.repeat(Number(least))) && accepts('x'.repeat(Number(most))), field)
      assert.ok(!accepts('x'.repeat(Number(least) - 1)) && !accepts('x'.repeat(Number(most) + 1)), field)
      bounds += 1
    }
  }
  assert.ok(bounds >= 8, String(bounds))
})

test('200 dryRun agrees: what the answer asks for is not missing there, and a part that is left out is', async () => {
  for (const type of kycTypes) {
    for (const country of countries.filter((code) => code === 'USA' || code === 'MEX' || code === 'AUT')) {
      const answer = await ask(`country=${country}&type=${type}`)
      const user = freshUserId()
      await call('POST', '/v0/end-users', { externalUserId: user, type })
      const agreement = { signed_agreement_id: await world.business.acceptTerms(user) }
      const dryRun = async (body: object) => {
        const path = `/v0/end-users/${user}/submit-kyc?dryRun=true`
        const checked = await call('POST', path, { ...body, ...agreement })
        assert.equal(checked.status, 200, checked.text)
        return checked.body.data.requirements.currentlyDue
      }
      const body = fullBody(answer)
      assert.deepEqual(await dryRun(body), [], `${type} ${country}`)
      const { identifying_information: _, ...unidentified } = body
      const isForeigner = type === 'individual' && country !== 'USA'
      assert.deepEqual(
        await dryRun(unidentified),
        ['tax_identification_number', ...(isForeigner ? ['government_id_verification'] : [])],
        `${type} ${country}`,
      )
    }
  }
})

test('200 the emulated provider, whose rules are its own, takes such a body and asks for nothing more', async () => {
  for (const type of kycTypes) {
    for (const country of ['USA', 'FRA', 'MEX', 'ARE', 'ABW']) {
      const user = freshUserId()
      await call('POST', '/v0/end-users', { externalUserId: user, type })
      const agreement = { signed_agreement_id: await world.business.acceptTerms(user) }
      const body = { ...fullBody(await ask(`country=${country}&type=${type}`)), email: `${user}@example.com` }
      const answer = await call('POST', `/v0/end-users/${user}/submit-kyc`, { ...body, ...agreement })
      assert.equal(answer.status, 200, `${type} ${country} ${answer.text}`)
      assert.deepEqual(answer.body.data.requirements.currentlyDue, [], `${type} ${country}`)
    }
  }
})

test('400 a country that is none, no country, a rail or a type that is none: each with its name', async () => {
  assert.equal(isInEea('FRA'), true)
  for (const [query, param] of [
    ['', 'country'],
    ['country=ZZZ', 'country'],
    ['country=US', 'country'],
    ['country=U%C3%9FA', 'country'],
    ['country=USA&rails=', 'rails'],
    ['country=USA&rails=usd,chf', 'rails'],
    ['country=USA&rails=usd,', 'rails'],
    ['country=USA&type=charity', 'type'],
    ['country=USA&kind=business', 'kind'],
  ] as const) {
    const answer = await call('GET', `/v0/kyc-requirements?${query}`)
    assertError(answer, 400, 'invalid_query', { param, details: [param] })
    assert.ok(!answer.text.includes('ZZZ') && !answer.text.includes('charity'))
  }
})
