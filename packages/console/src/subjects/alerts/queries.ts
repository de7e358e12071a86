// Queries and writes of alerts: a business has its own channels and alerts, and the operator has others.

import type { AlertChannel, Body, Query } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'

type Role = Session['role']
export type NewChannel = Body<'createAlertChannel'>
export type ChannelChange = Body<'updateAlertChannel'>

const rowsOfPage = 50
/** No event reports an alert. */
const lookMs = 15_000
/** A message of a test is sent within seconds. */
const testMs = 1_000

/** A page without its methods: what a cache keeps is data. */
const plain = <Item>({ data, nextCursor }: { data: readonly Item[]; nextCursor: string | null }) => ({
  data,
  nextCursor,
})

/** There are at most ten. */
export const channelsQuery = (role: Role) =>
  queryOptions({
    queryKey: ['alert-channels', role],
    queryFn: async ({ signal }) => {
      const query = { limit: 100 }
      const page =
        role === 'business'
          ? causeway.alertChannels.list(query, { signal })
          : causeway.list('listOperatorAlertChannels', { query }, { signal })
      return (await page).data
    },
  })

export const alertsQuery = (role: Role, search: Query<'listAlerts'>) => {
  const query = { ...search, limit: rowsOfPage }
  return queryOptions({
    queryKey: ['alerts', role, query],
    queryFn: ({ signal }) =>
      (role === 'business'
        ? causeway.alerts.list(query, { signal })
        : causeway.list('listOperatorAlerts', { query }, { signal })
      ).then(plain),
    placeholderData: (before) => before,
    refetchInterval: lookMs,
  })
}

export const messagesQuery = (role: Role, search: Query<'listAlertMessages'>) => {
  const query = { limit: rowsOfPage, ...search }
  return queryOptions({
    queryKey: ['alert-messages', role, query],
    queryFn: ({ signal }) =>
      (role === 'business'
        ? causeway.alertMessages.list(query, { signal })
        : causeway.list('listOperatorAlertMessages', { query }, { signal })
      ).then(plain),
    placeholderData: (before) => before,
    refetchInterval: lookMs,
  })
}

/** The message of a test, until its outcome is known. Null while the list does not have it. */
export const testQuery = (role: Role, channelId: string, messageId: string) =>
  queryOptions({
    queryKey: ['alert-messages', role, 'test', messageId],
    queryFn: async ({ signal }) => {
      const query = { channelId, limit: 10 }
      const page =
        role === 'business'
          ? causeway.alertMessages.list(query, { signal })
          : causeway.list('listOperatorAlertMessages', { query }, { signal })
      return (await page).data.find(({ id }) => id === messageId) ?? null
    },
    refetchInterval: ({ state: { data } }) => (data == null || data.state === 'pending' ? testMs : false),
  })

const renew = (): void => {
  for (const subject of ['alert-channels', 'audit']) void queryClient.invalidateQueries({ queryKey: [subject] })
}

/** @returns the signing secret of a webhook channel; null for other types */
export async function createChannel(role: Role, body: NewChannel): Promise<string | null> {
  const { signingSecret } = await (role === 'business'
    ? causeway.alertChannels.create(body)
    : causeway.call('createOperatorAlertChannel', { body }))
  renew()
  return signingSecret ?? null
}

export async function changeChannel(role: Role, id: string, body: ChannelChange): Promise<AlertChannel> {
  const channel = await (role === 'business'
    ? causeway.alertChannels.update(id, body)
    : causeway.call('updateOperatorAlertChannel', { path: { id }, body }))
  renew()
  return channel
}

export async function deleteChannel(role: Role, id: string): Promise<void> {
  await (role === 'business'
    ? causeway.alertChannels.delete(id)
    : causeway.call('deleteOperatorAlertChannel', { path: { id } }))
  renew()
}

/** Not repeated: the limit of tests is a minute, and the reader would wait. @returns the ID of the message */
export async function testChannel(role: Role, id: string): Promise<string> {
  const { messageId } = await (role === 'business'
    ? causeway.alertChannels.test(id, { retriesMax: 0 })
    : causeway.call('testOperatorAlertChannel', { path: { id } }, { retriesMax: 0 }))
  void queryClient.invalidateQueries({ queryKey: ['alert-messages'] })
  return messageId
}
