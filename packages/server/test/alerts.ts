// Shared by the tests of alerts: a round of the watch on demand, and time that passes for one channel.

import { dataOf } from './caller.ts'
import type { World } from './world.ts'

export type AlertMessage = {
  id: string
  channelId: string
  isTest: boolean
  subject: string
  alertCount: number
  alerts: { alertId: string; kind: string; phase: string; subjectId: string }[]
  state: string
  attempts: number
  lastOutcome: string | null
}

/** Makes a round due now, in whichever process runs it. */
export async function watchNow(world: Pick<World, 'rows'>): Promise<void> {
  await world.rows`update alert_rounds set due_at = now(), operator_due_at = now()`
  await world.rows`select pg_notify('causeway_alerts', '')`
}

/** Lets a channel get its next message now, instead of in a minute. */
export async function minutePasses(world: Pick<World, 'rows'>, channelId: string): Promise<void> {
  await world.rows`update alert_channels set next_message_at = now(), next_test_at = now() where id = ${channelId}`
  await watchNow(world)
}

/** Makes the retry of each message due now. */
export async function retryNow(world: Pick<World, 'rows'>): Promise<void> {
  await world.rows`update alert_messages set next_attempt_at = now(), lease_until = now() where state = 'pending'`
  await world.rows`select pg_notify('causeway_alerts', '')`
}

/** Lists messages to a channel, oldest first. */
export async function messagesTo(
  { call }: Pick<World['business'], 'call'>,
  channelId: string,
): Promise<AlertMessage[]> {
  const data: AlertMessage[] = dataOf(await call('GET', `/v0/alert-messages?channelId=${channelId}`))
  return data.toReversed()
}
