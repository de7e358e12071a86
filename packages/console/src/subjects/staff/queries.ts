// Queries and writes of staff: a business reads its own, the operator those of the operator.

import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'

type Role = Session['role']

const rowsOfPage = 50

export const staffQuery = (role: Role, params: { cursor?: string }) =>
  queryOptions({
    queryKey: ['staff', 'list', role, params],
    queryFn: async ({ signal }) => {
      const query = { ...params, limit: rowsOfPage }
      const { data, nextCursor } = await (role === 'business'
        ? causeway.staff.list(query, { signal })
        : causeway.list('listOperatorStaff', { query }, { signal }))
      return { data, nextCursor }
    },
    placeholderData: (before) => before,
  })

/** @returns how many sessions ended */
export async function signOutStaff(role: Role, id: string): Promise<number> {
  const { sessionsEnded } = await (role === 'business'
    ? causeway.staff.signOut(id)
    : causeway.call('signOutOperatorStaff', { path: { id } }))
  for (const subject of ['staff', 'audit']) void queryClient.invalidateQueries({ queryKey: [subject] })
  return sessionsEnded
}
