// How often the page of a link may ask, and that what one page asks costs no other page and no business anything.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { kycChecksPerMinute, kycBody as kycLimits } from '../src/platform/http/limits.ts'
import { assertError, dataOf } from './caller.ts'
import { announceBody } from './http/announced-body.ts'
import { imageOf, newPage, type Page } from './onboarding-page.ts'
import { kycBody } from './people.ts'
import { openWorld } from './world.ts'

const submissionsMax = 2
const world = await openWorld({
  alone: true,
  env: { KYC_SUBMISSIONS_PER_MINUTE: String(submissionsMax) },
  limits: { businessKycSubmissionsPerMinute: 4 },
})
after(() => world.stop())

const check = (page: Page, body: unknown) => page.ask('POST', '/submission?dryRun=true', body)

test(`a page may have ${kycChecksPerMinute} checks a minute, which take nothing of its submissions, nor of another page or the business`, async () => {
  const [{ user, page }, other] = [await newPage(world), await newPage(world)]
  const agreement = await world.business.acceptTerms(user)
  for (let checks = 0; checks < kycChecksPerMinute; checks++)
    assert.equal((await check(page, { first_name: 'Ada' })).status, 200)
  const refused = await check(page, { first_name: 'Ada' })
  assertError(refused, 429, 'rate_limited')
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.equal((await check(other.page, { first_name: 'Ada' })).status, 200)
  assert.equal((await page.ask('POST', '/submission', kycBody(agreement, user))).status, 200)
})

test('what only looks like a check counts as a submission', async () => {
  const { page } = await newPage(world, { business: await world.otherBusiness() })
  for (const query of ['?dryRun=false', '?dryRun=1'])
    assert.equal((await page.ask('POST', `/submission${query}`, {})).status, 400)
  for (const query of ['', '?dryRun=1', '?dryRun=true&dryRun=false', '?dryRun=TRUE'])
    assertError(await page.ask('POST', `/submission${query}`, {}), 429, 'rate_limited')
})

test('a check has no pictures: it may have as much text as a submission, and no more', async () => {
  const { user, page } = await newPage(world)
  const { identifying_information: _, ...body } = kycBody(await world.business.acceptTerms(user), user)
  assert.deepEqual(dataOf(await check(page, body)).problems, [], 'papers that are left out are due, and no problem')
  assertError(await check(page, { ...body, image: imageOf(300_000) }), 413, 'payload_too_large')
  const headers = { authorization: `Bearer ${page.token}`, 'content-length': kycLimits.plainBytesMax + 1 }
  const announced = await announceBody('POST', `${world.url}/onboard/api/submission?dryRun=true`, headers)
  assertError(announced, 413, 'payload_too_large')
})

test('a paper without its picture is due; a document without its file is a problem of form', async () => {
  const { user, page } = await newPage(world)
  const body = kycBody(await world.business.acceptTerms(user), user)
  const papers = body['identifying_information'] as Record<string, unknown>[]
  const bare = papers.map(({ image_front: _front, image_back: _back, ...paper }) => paper)
  assert.deepEqual(dataOf(await check(page, { ...body, identifying_information: bare })).problems, [])
  const documents = [{ purposes: ['proof_of_address'] }]
  const [problem] = dataOf(await check(page, { ...body, documents })).problems
  assert.deepEqual([problem.param, problem.code], ['documents[0].file', 'missing_field'])
})

test('requirements are told for each type, by default that of the end-user', async () => {
  const [person, company] = [await newPage(world), await newPage(world, { type: 'business' })]
  const told = async (page: Page, query: string) =>
    dataOf(await page.ask('GET', `/requirements?country=DEU${query}`)).type
  assert.equal(await told(person.page, ''), 'individual')
  assert.equal(await told(company.page, ''), 'business')
  assert.equal(await told(company.page, '&type=individual'), 'individual')
  assertError(await company.page.ask('GET', '/requirements?country=DEU&type=dog'), 400, 'invalid_query', {
    param: 'type',
  })
})
