// The sign-in of a business's staff: set and removed by the business, and by the operator.

import { issuerUrl } from '../../../../server/test/sign-in/issuer-metadata.ts'
import { fresh, openPlace, type Place } from '../world.ts'
import { type Look, operationStory, type Story } from './story.ts'

type Side = { noun: string; as: { as?: 'operator' }; pathOf(place: Place): string }

const ofBusiness: Side = { noun: 'SignIn', as: {}, pathOf: () => '/v0/sign-in' }
const ofOperator: Side = {
  noun: 'CustomerSignIn',
  as: { as: 'operator' },
  pathOf: ({ businessId }) => `/v0/customers/${businessId}/sign-in`,
}

const bodyOf = (clientId: string) => ({
  issuer: issuerUrl,
  clientId,
  clientSecret: 'secret of the client',
  roles: { claim: 'groups', values: { admins: 'admin' } },
})

type Stored = { clientId: string; entries: number }

/** The stored client, and how many entries of the audit log name it. */
async function storedIn({ businessId, rows }: Place): Promise<Stored | undefined> {
  const [stored] = await rows<Stored>(
    (query) => query`
      select client_id, (select count(*)::int from audit_log a where a.business_id = i.business_id
        and action = 'sign_in.changed' and details->>'clientId' = i.client_id) as entries
      from sign_in_issuers i where business_id = ${businessId}`,
  )
  return stored
}

const storiesOf = ({ noun, as, pathOf }: Side): Story[] => [
  operationStory(`set${noun}`, {
    async prepare(stage) {
      const place = await openPlace(stage)
      const clientId = fresh('client')
      return {
        place,
        request: { method: 'PUT', path: pathOf(place), body: bodyOf(clientId), ...as },
        async look(): Promise<Look> {
          const stored = await storedIn(place)
          const isLogged = stored === undefined || stored.entries > 0
          return { happened: stored?.clientId === clientId, faults: isLogged ? [] : ['a sign-in without its entry'] }
        },
      }
    },
  }),

  operationStory(`delete${noun}`, {
    orElse: ['sign_in_not_set'],
    async prepare(stage) {
      const place = await openPlace(stage)
      await place.ask('PUT', pathOf(place), bodyOf('causeway'), as.as)
      return {
        place,
        request: { method: 'DELETE', path: pathOf(place), ...as },
        look: async (): Promise<Look> => ({ happened: (await storedIn(place)) === undefined, faults: [] }),
      }
    },
  }),
]

export const signInStories: readonly Story[] = [...storiesOf(ofBusiness), ...storiesOf(ofOperator)]
