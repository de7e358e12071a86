// Alert channels of a business and of the operator: created, changed, deleted, and tested.

import { deploymentChain } from '../../../../server/src/audit/audit.rules.ts'
import type { Stage } from '../stage.ts'
import { fresh, openPlace, type Place } from '../world.ts'
import { counted, operationStory, type Story, withoutKey } from './story.ts'

type Side = { name: string; path: string; as: { as?: 'operator' }; ownerOf(place: Place): string; again: string | null }

const ofBusiness: Side = {
  name: 'AlertChannel',
  path: '/v0/alert-channels',
  as: {},
  ownerOf: ({ businessId }) => businessId,
  again: null,
}

const ofOperator: Side = {
  name: 'OperatorAlertChannel',
  path: '/v0/operator/alert-channels',
  as: { as: 'operator' },
  ownerOf: () => deploymentChain,
  again: withoutKey,
}

type Channel = { id: string; name: string; messages: number }

const bodyOf = (name: string) => ({ type: 'slack', url: 'http://127.0.0.1:9/', name })

async function channelsNamed(place: Place, owner: string, name: string): Promise<readonly Channel[]> {
  return await place.rows<Channel>(
    (query) => query`
      select id, name, (select count(*)::int from alert_messages m where m.business_id = c.business_id and m.channel_id = c.id)
        as messages
      from alert_channels c where business_id = ${owner} and name = ${name}`,
  )
}

/** All runs share the operator's ten channels, so a run of the operator is alone and removes those of earlier runs. */
async function roomyPlace(stage: Stage, { as }: Side): Promise<Place> {
  const place = await openPlace(stage)
  if (as.as) await place.rows((query) => query`delete from alert_channels where business_id = ${deploymentChain}`)
  return place
}

const creationOf = (side: Side): Story => {
  const { name: noun, path, as, ownerOf, again } = side
  return operationStory(`create${noun}`, {
    alone: as.as !== undefined,
    again,
    async prepare(stage) {
      const place = await roomyPlace(stage, side)
      const name = fresh('channel')
      return {
        place,
        request: { method: 'POST', path, body: bodyOf(name), ...as },
        look: async () => counted('channels', (await channelsNamed(place, ownerOf(place), name)).length),
      }
    },
  })
}

const storiesOf = (side: Side): readonly Story[] => {
  const { name: noun, path, as, ownerOf } = side
  const alone = as.as !== undefined
  const prepareOne = async (stage: Stage) => {
    const place = await roomyPlace(stage, side)
    const name = fresh('channel')
    const { id } = await place.ask('POST', path, bodyOf(name), as.as)
    return { place, name, at: `${path}/${id}`, named: (one = name) => channelsNamed(place, ownerOf(place), one) }
  }
  return [
    creationOf(side),
    operationStory(`update${noun}`, {
      alone,
      async prepare(stage) {
        const { place, at, named } = await prepareOne(stage)
        const name = fresh('channel')
        return {
          place,
          request: { method: 'PATCH', path: at, body: { name }, ...as },
          look: async () => counted('channels', (await named(name)).length),
        }
      },
    }),
    operationStory(`delete${noun}`, {
      alone,
      orElse: ['alert_channel_not_found'],
      async prepare(stage) {
        const { place, at, named } = await prepareOne(stage)
        return {
          place,
          request: { method: 'DELETE', path: at, ...as },
          look: async () => ({ happened: (await named()).length === 0, faults: [] }),
        }
      },
    }),
    operationStory(`test${noun}`, {
      alone,
      orElse: ['alert_test_limited'],
      async prepare(stage) {
        const { place, at, named } = await prepareOne(stage)
        return {
          place,
          request: { method: 'POST', path: `${at}/test`, ...as },
          look: async () => counted('test messages', (await named())[0]?.messages ?? 0),
        }
      },
    }),
  ]
}

export const alertStories: readonly Story[] = [...storiesOf(ofBusiness), ...storiesOf(ofOperator)]
