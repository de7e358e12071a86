// End-users: the record, the terms, KYC, and forgetting them.

import { acceptTerms, approvedUser, fresh, mailOf, newUser, openPlace, type Place, submission } from '../world.ts'
import { alike, counted, type Look, operationStory, type Story } from './story.ts'

async function usersNamed(
  place: Place,
  externalUserId: string,
): Promise<readonly { id: string; providerCustomerId: string | null }[]> {
  return await place.rows(
    (query) => query`
      select id, provider_customer_id from end_users
      where business_id = ${place.businessId} and external_user_id = ${externalUserId}`,
  )
}

async function lookAtSubmission(place: Place, externalUserId: string, status: string): Promise<Look> {
  const [user] = await usersNamed(place, externalUserId)
  const upstream = await place.upstream(`/customers?email=${encodeURIComponent(mailOf(externalUserId))}`)
  const ids: string[] = upstream.data.map(({ id }: { id: string }) => id)
  const look = alike(user?.providerCustomerId != null, ids.length > 0)
  if (ids.length > 1) look.faults.push(`the provider has ${ids.length} customers`)
  if (look.happened && user?.providerCustomerId !== ids[0])
    look.faults.push('we hold another customer than the provider')
  const { kycStatus } = await place.ask('GET', `/v0/end-users/${externalUserId}`)
  if (look.happened && kycStatus !== status) look.faults.push(`kycStatus is ${kycStatus}, not ${status}`)
  return look
}

async function lookAtErasure(place: Place, externalUserId: string, id: string): Promise<Look> {
  const here = (await usersNamed(place, externalUserId)).length > 0
  const told = await place.rows(
    (query) => query`
      select 1 from events where business_id = ${place.businessId} and end_user_id = ${id}
        and not (convert_from(body, 'UTF8')::jsonb ? 'erased')`,
  )
  return { happened: !here, faults: !here && told.length > 0 ? [`${told.length} events still tell of it`] : [] }
}

const kycEvents = { 'end_user.tos.accepted': 1, 'end_user.kyc.updated': [1, 4] } as const

export const endUserStories: readonly Story[] = [
  operationStory('createEndUser', {
    orElse: ['end_user_already_exists'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const externalUserId = fresh('user')
      return {
        place,
        request: { method: 'POST', path: '/v0/end-users', body: { externalUserId } },
        events: { 'end_user.created': 1 },
        look: async () => counted('end-users', (await usersNamed(place, externalUserId)).length),
      }
    },
  }),

  operationStory('updateEndUser', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const path = `/v0/end-users/${await newUser(place)}`
      return {
        place,
        request: { method: 'PATCH', path, body: { metadata: { plan: 'gold' } } },
        look: async () => ({ happened: (await place.ask('GET', path)).metadata.plan === 'gold', faults: [] }),
      }
    },
  }),

  operationStory('deleteEndUser', {
    orElse: ['holder_not_found'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const externalUserId = await newUser(place)
      await acceptTerms(place, externalUserId)
      const [user] = await usersNamed(place, externalUserId)
      return {
        place,
        request: { method: 'DELETE', path: `/v0/end-users/${externalUserId}` },
        look: () => lookAtErasure(place, externalUserId, user?.id ?? ''),
      }
    },
  }),

  operationStory('createTosLink', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const externalUserId = await newUser(place)
      const [user] = await usersNamed(place, externalUserId)
      const links = (query: Parameters<Parameters<Place['rows']>[0]>[0]) =>
        query`select 1 from tos_links where business_id = ${place.businessId} and end_user_id = ${user?.id}`
      return {
        place,
        request: { method: 'POST', path: `/v0/end-users/${externalUserId}/tos-link`, body: {} },
        look: async () => counted('links', (await place.rows(links)).length),
      }
    },
  }),

  operationStory('submitKyc', {
    mayStayOpen: 'identity data is not stored, so that only the caller can send it again',
    async prepare(stage) {
      const place = await openPlace(stage)
      const externalUserId = await newUser(place)
      const body = await submission(place, externalUserId)
      return {
        place,
        request: { method: 'POST', path: `/v0/end-users/${externalUserId}/submit-kyc`, body },
        events: kycEvents,
        look: () => lookAtSubmission(place, externalUserId, 'approved'),
      }
    },
  }),

  operationStory('submitKyc', {
    name: 'submit-kyc-again',
    async prepare(stage) {
      const place = await openPlace(stage)
      const externalUserId = await approvedUser(place)
      const body = { ...(await submission(place, externalUserId)), first_name: 'Grace' }
      const [user] = await usersNamed(place, externalUserId)
      const path = `/v0/end-users/${externalUserId}/submit-kyc`
      const theirs = () => place.upstream(`/customers/${user?.providerCustomerId}`)
      return {
        place,
        request: { method: 'POST', path, body },
        events: { 'end_user.kyc.updated': [0, 4] },
        look: async () => {
          const look = await lookAtSubmission(place, externalUserId, 'approved')
          return { happened: (await theirs()).first_name === 'Grace', faults: look.faults }
        },
      }
    },
  }),
]
