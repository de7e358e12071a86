// Replays as tests ask for them.

import { randomBytes } from 'node:crypto'
import { makeEventId } from '../src/platform/values/ids.ts'
import type { Subscriber } from './business.ts'
import { until } from './caller.ts'
import { freshEventId } from './provider.ts'
import type { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the API shows is read by tests, which assert what they find
type Replay = any

/** A replay of all events of the last hour. */
export const lastHour = () => ({
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 60_000).toISOString(),
})

/** @returns the replay, begun */
export async function beginReplay({ call }: Subscriber, endpointId: string, body: object = {}): Promise<Replay> {
  const answer = await call('POST', `/v0/webhook-endpoints/${endpointId}/replay`, { ...lastHour(), ...body })
  if (answer.status !== 200) throw new Error(`the replay did not begin: ${answer.text}`)
  return answer.body.data
}

/** @returns the replay, ended */
export async function endOf({ call }: Subscriber, id: string, limitMs?: number): Promise<Replay> {
  return await until(
    'the end of the replay',
    async () => {
      const { data } = (await call('GET', `/v0/replays/${id}`)).body
      return data.state !== 'running' && data
    },
    limitMs,
  )
}

/**
 * Waits until so many deliveries of the business have the status. A receiver sees an event before its delivery has one.
 * @param filter further parameters of the list: `&webhookEndpointId=…`
 */
export async function settled({ call }: Subscriber, status: string, count: number, filter = ''): Promise<void> {
  await until(`${count} ${status}`, async () => {
    const { data } = (await call('GET', `/v0/deliveries?limit=100&status=${status}${filter}`)).body
    return data.length === count
  })
}

/**
 * Puts so many events into the business's stream, as if they had come before it had any endpoint.
 * @returns their provider's ids, in order
 */
export async function fillStream(world: World, { id: customerId }: Subscriber, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => ({
    id: makeEventId(Date.now(), randomBytes(10)),
    providerId: freshEventId(),
  }))
  await world.rows`
      with stream as (
        update event_streams set position = position + ${count} where business_id = ${customerId} returning position - ${count} as base
      )
      insert into events (id, business_id, position, provider_event_id, trust, type, body)
      select id, ${customerId}, base + place, provider_id, 'verified', 'test.happened',
        convert_to(json_build_object('event_id', provider_id)::text, 'UTF8')
      from stream, unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ providerId }) => providerId)}::text[])
        with ordinality as e (id, provider_id, place)`
  return events.map(({ providerId }) => providerId)
}

export async function defaultEndpointOf({ call }: Subscriber): Promise<string> {
  return (await call('GET', '/v0/webhook-url')).body.data.id
}
