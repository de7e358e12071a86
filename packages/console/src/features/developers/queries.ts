// Queries and writes of the developer pages. Responses with a secret go to the dialog that shows it, and are not
// cached.

import type { ApiKeyScope } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'

const rowsOfPage = 50

type CursorOnly = { cursor?: string }

export const keysQuery = (params: CursorOnly) =>
  queryOptions({
    queryKey: ['keys', 'list', params],
    queryFn: ({ signal }) => causeway.apiKeys.list({ ...params, limit: rowsOfPage }, { signal }).then(plain),
    placeholderData: (before) => before,
  })

export const linksQuery = (params: CursorOnly) =>
  queryOptions({
    queryKey: ['links', 'list', params],
    queryFn: ({ signal }) => causeway.consoleLinks.list({ ...params, limit: rowsOfPage }, { signal }).then(plain),
    placeholderData: (before) => before,
  })

/** A page without its methods: what a cache keeps is data. */
const plain = <Item>({ data, nextCursor }: { data: readonly Item[]; nextCursor: string | null }) => ({
  data,
  nextCursor,
})

async function renewed<T>(subjects: readonly string[], work: Promise<T>): Promise<T> {
  const result = await work
  for (const subject of [...subjects, 'audit']) void queryClient.invalidateQueries({ queryKey: [subject] })
  return result
}

export type NewKey = { name?: string; scopes: ApiKeyScope[]; expiresAt?: string }

export const issueKey = (key: NewKey) => renewed(['keys'], causeway.apiKeys.issue(key))

export const rollKey = (id: string, expiresInHours: number) =>
  renewed(['keys'], causeway.apiKeys.roll(id, { expiresInHours }))

/** The links that the key made end with it. */
export const endKey = (id: string, withCreated: boolean) =>
  renewed(['keys', 'links'], causeway.apiKeys.revoke(id, { withCreated }))

export const makeLink = (scopes: ApiKeyScope[], expiresInMinutes: number) =>
  renewed(['links'], causeway.consoleLinks.create({ scopes, expiresInMinutes }))

export const revokeLink = (id: string, withCreated: boolean) =>
  renewed(['keys', 'links'], causeway.consoleLinks.revoke(id, { withCreated }))
