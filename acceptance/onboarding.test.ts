// Specification, endpoints 2 to 5; contract, chapter 5.

import assert from 'node:assert/strict'
import test from 'node:test'
import { call, dataOf, refuse, succeed } from './call.ts'
import * as people from './people.ts'
import { type EndUser, pathOf } from './people.ts'

interface TosLink {
  readonly tosLinkId: string
  readonly tosLink: string
  readonly tosStatus: string
}

test('nextAction leads from a record to approved: accept the Terms, submit, wait, done', async () => {
  const created = await people.createEndUser('onboard')
  const { externalUserId } = created
  assert.match(created.id, /^eu_/)
  assert.equal(created.kycStatus, 'not_started')
  assert.equal(created.nextAction.kind, 'accept_tos')

  const link = await succeed<TosLink>('POST', `${pathOf(externalUserId)}/tos-link`)
  assert.deepEqual(Object.keys(link).sort(), ['tosLink', 'tosLinkId', 'tosStatus'])
  assert.match(link.tosLinkId, /^tos_link_/)
  assert.equal(link.tosStatus, 'pending')
  const { tosOrigin } = await succeed<{ tosOrigin: string }>('GET', '/v0/capabilities')
  assert.equal(new URL(link.tosLink).origin, tosOrigin)
  assert.equal((await fetch(link.tosLink)).status, 200)

  const signed_agreement_id = await people.acceptTerms(externalUserId)
  const body = { ...people.kycOf(externalUserId), signed_agreement_id }
  const submitted = await succeed<EndUser>('POST', `${pathOf(externalUserId)}/submit-kyc`, { body })
  assert.equal(submitted.tosStatus, 'approved')
  assert.ok(['under_review', 'approved'].includes(submitted.kycStatus), submitted.kycStatus)
  if (submitted.kycStatus === 'under_review') assert.equal(submitted.nextAction.kind, 'wait')

  const approved = await people.untilApproved(externalUserId)
  assert.equal(approved.nextAction.kind, 'none')
  const links = await succeed<{ kycLink: string | null; kycStatus: string }>(
    'GET',
    `${pathOf(externalUserId)}/kyc-links`,
  )
  assert.equal(links.kycStatus, 'approved')
  assert.equal(links.kycLink, null)
})

test('a Terms link that is pending is returned again, with the new redirectUri', async () => {
  const { externalUserId } = await people.createEndUser('redirect')
  const path = `${pathOf(externalUserId)}/tos-link`
  const first = await succeed<TosLink>('POST', path)
  const second = await succeed<TosLink>('POST', path, { body: { redirectUri: 'https://shop.example/done' } })
  assert.equal(second.tosLinkId, first.tosLinkId)
  assert.equal(new URL(second.tosLink).searchParams.get('redirect_uri'), 'https://shop.example/done')
  for (const redirectUri of ['/done', 'http://shop.example/', 'https://a:b@shop.example/', 'https://shop.example/#a'])
    await refuse(400, 'invalid_redirect_uri', 'POST', path, { body: { redirectUri } })
})

test('KYC data without an accepted agreement is refused', async () => {
  const { externalUserId } = await people.createEndUser('no-terms')
  const body = people.kycOf(externalUserId)
  await refuse(422, 'tos_not_accepted', 'POST', `${pathOf(externalUserId)}/submit-kyc`, { body })
})

test('an agreement counts once, for the end-user who accepted it', async () => {
  const [one, other] = [await people.createEndUser('one'), await people.createEndUser('other')]
  const signed_agreement_id = await people.acceptTerms(one.externalUserId)
  const submit = ({ externalUserId }: EndUser) =>
    call('POST', `${pathOf(externalUserId)}/submit-kyc`, {
      body: { ...people.kycOf(externalUserId), signed_agreement_id },
    })
  dataOf(await submit(one))
  const refused = await submit(other)
  assert.equal(refused.status, 422, refused.text)
  assert.match(refused.text, /"signed_agreement_invalid"/)
})

test('a dry run names what is missing and sends nothing', async () => {
  const { externalUserId } = await people.createEndUser('dry')
  const body = { first_name: 'Grace', last_name: 'Hopper' }
  const dry = await succeed<EndUser>('POST', `${pathOf(externalUserId)}/submit-kyc?dryRun=true`, { body })
  assert.ok(dry.requirements.currentlyDue.length > 0)
  const after = await people.readEndUser(externalUserId)
  assert.equal(after.kycStatus, 'not_started')
  assert.equal(after.providerCustomerId, null)
})

test('identity data is not in any response about the end-user', async () => {
  const { externalUserId } = await people.createApproved('discreet')
  for (const path of [
    pathOf(externalUserId),
    `${pathOf(externalUserId)}/kyc-links`,
    `/v0/events?externalUserId=${externalUserId}`,
  ]) {
    const { text } = await call('GET', path)
    for (const secret of [people.SSN, 'Compiler Street', '1986-12-09']) assert.ok(!text.includes(secret), path)
  }
})

test('an end-user that exists is a conflict, and is named', async () => {
  const { externalUserId, id } = await people.createEndUser('twice')
  const { details } = await refuse(409, 'end_user_already_exists', 'POST', '/v0/end-users', {
    body: { externalUserId },
  })
  assert.ok(JSON.stringify(details).includes(id))
})
