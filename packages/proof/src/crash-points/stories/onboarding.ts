// Links to the onboarding page, the opening of one, and the branding.

import { openPlace, type Place } from '../world.ts'
import { counted, type Look, operationStory, type Story, story, withoutKey } from './story.ts'

type Link = { isRevoked: boolean; hasPage: boolean; openings: number }

const person = 'person-1'
const pathOf = `/v0/end-users/${person}/onboarding-links`

async function linksOf(place: Place): Promise<readonly Link[]> {
  return await place.rows<Link>(
    (query) => query`
      select revoked_at is not null as is_revoked, session_digest is not null as has_page, openings
      from onboarding_links where business_id = ${place.businessId} order by created_at`,
  )
}

async function prepareLink(place: Place): Promise<{ id: string; code: string }> {
  await place.ask('POST', '/v0/end-users', { externalUserId: person })
  const { id, url } = await place.ask('POST', pathOf, {})
  return { id, code: String(url).split('#')[1] ?? '' }
}

const opening = (code: string) => ({ method: 'POST', path: '/onboard/api/page', body: { code } })

export const onboardingStories: readonly Story[] = [
  operationStory('createOnboardingLink', {
    async prepare(stage) {
      const place = await openPlace(stage)
      await prepareLink(place)
      return {
        place,
        request: { method: 'POST', path: pathOf, body: { locale: 'es' } },
        async look(): Promise<Look> {
          const [first, second, ...more] = await linksOf(place)
          const isWhole = first?.isRevoked === (second !== undefined) && more.length === 0
          return {
            happened: second !== undefined,
            faults: isWhole ? [] : ['a link is made and the one before goes on'],
          }
        },
      }
    },
  }),

  operationStory('revokeOnboardingLink', {
    orElse: ['onboarding_link_not_found'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const { id, code } = await prepareLink(place)
      await place.send(opening(code))
      return {
        place,
        request: { method: 'DELETE', path: `/v0/onboarding-links/${id}` },
        async look(): Promise<Look> {
          const [link] = await linksOf(place)
          const isWhole = link?.isRevoked !== link?.hasPage
          return { happened: link?.isRevoked ?? false, faults: isWhole ? [] : ['the link and its page end apart'] }
        },
      }
    },
  }),

  operationStory('setBranding', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const rows = () =>
        place.rows((query) => query`select 1 from brandings where business_id = ${place.businessId} and name = 'Acme'`)
      return {
        place,
        request: { method: 'PUT', path: '/v0/branding', body: { name: 'Acme' } },
        look: async () => counted('brandings', (await rows()).length),
      }
    },
  }),

  story({
    name: 'open-an-onboarding-page',
    again: withoutKey,
    async prepare(stage) {
      const place = await openPlace(stage)
      const { code } = await prepareLink(place)
      return {
        place,
        request: opening(code),
        async look(): Promise<Look> {
          const [link] = await linksOf(place)
          const isWhole = link?.hasPage === (link !== undefined && link.openings > 0)
          return { happened: link?.hasPage ?? false, faults: isWhole ? [] : ['a page is counted that was not opened'] }
        },
      }
    },
  }),
]
