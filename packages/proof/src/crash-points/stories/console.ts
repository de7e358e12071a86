// Links into the console, the sign-in with one, and the end of staff sessions.

import { deploymentChain } from '../../../../server/src/audit/audit.rules.ts'
import { fresh, openPlace, type Place } from '../world.ts'
import { counted, type Look, operationStory, type Story, story } from './story.ts'

type Link = { isUsed: boolean; isRevoked: boolean; sessions: number }

async function linksOf(place: Place): Promise<readonly Link[]> {
  return await place.rows<Link>(
    (query) => query`
      select l.used_at is not null as is_used, l.revoked_at is not null as is_revoked,
        (select count(*)::int from console_sessions s where s.business_id = l.business_id and s.link_id = l.id) as sessions
      from console_links l where l.business_id = ${place.businessId}`,
  )
}

async function prepareLink(place: Place): Promise<{ id: string; code: string }> {
  const { id, url } = await place.ask('POST', '/v0/console-links', { scopes: ['events:read'] })
  return { id, code: String(url).split('#')[1] ?? '' }
}

const signIn = (code: string) => ({
  method: 'POST',
  path: '/console/session',
  body: { code },
  headers: { 'x-causeway-console': '1' },
})

/** Signs a staff member in, without an issuer. @returns the path that signs them out, and how many sessions are left */
async function prepareStaff(place: Place, businessId: string, path: string) {
  const id = fresh('staff')
  await place.rows(
    (query) => query`
      insert into staff (business_id, id, issuer, subject) values (${businessId}, ${id}, 'https://login.example.com', ${id})`,
  )
  await place.rows(
    (query) => query`
      insert into console_sessions (business_id, id, digest, scopes, idle_until, expires_at, staff_id, roles, checked_until)
      values (${businessId}, ${id}, sha256(${id}::bytea), '{}', now() + interval '30 minutes', now() + interval '12 hours', ${id},
        '{admin}', now() + interval '15 minutes')`,
  )
  const left = async () =>
    await place.rows((query) => query`select id from console_sessions where business_id = ${businessId} and id = ${id}`)
  return {
    request: { method: 'DELETE', path: `${path}/${id}/sessions` },
    look: async (): Promise<Look> => ({ happened: (await left()).length === 0, faults: [] }),
  }
}

export const consoleStories: readonly Story[] = [
  operationStory('createConsoleLink', {
    async prepare(stage) {
      const place = await openPlace(stage)
      return {
        place,
        request: { method: 'POST', path: '/v0/console-links', body: { scopes: ['events:read'] } },
        look: async () => counted('links', (await linksOf(place)).length),
      }
    },
  }),

  operationStory('revokeConsoleLink', {
    orElse: ['console_link_not_found'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const { id, code } = await prepareLink(place)
      await place.send(signIn(code))
      return {
        place,
        request: { method: 'DELETE', path: `/v0/console-links/${id}` },
        async look(): Promise<Look> {
          const [link] = await linksOf(place)
          const isWhole = link?.isRevoked === (link?.sessions === 0)
          return { happened: link?.isRevoked ?? false, faults: isWhole ? [] : ['the link and its session end apart'] }
        },
      }
    },
  }),

  operationStory('signOutStaff', {
    async prepare(stage) {
      const place = await openPlace(stage)
      return { place, ...(await prepareStaff(place, place.businessId, '/v0/staff')) }
    },
  }),

  operationStory('signOutOperatorStaff', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const { request, look } = await prepareStaff(place, deploymentChain, '/v0/operator/staff')
      return { place, request: { ...request, as: 'operator' }, look }
    },
  }),

  story({
    name: 'sign-in-with-a-link',
    orElse: ['console_link_invalid'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const { code } = await prepareLink(place)
      return {
        place,
        request: signIn(code),
        async look(): Promise<Look> {
          const [link] = await linksOf(place)
          const isWhole = link?.isUsed === (link?.sessions === 1)
          return { happened: link?.isUsed ?? false, faults: isWhole ? [] : ['a link is used without one session'] }
        },
      }
    },
  }),
]
