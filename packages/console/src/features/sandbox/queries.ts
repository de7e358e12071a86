// Queries and controls of the sandbox provider.

import type { Body, SandboxInbox } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'

const inboxMs = 3_000
const clockMs = 30_000
const choicesMax = 100

export const clockQuery = queryOptions({
  queryKey: ['sandbox', 'clock'],
  queryFn: ({ signal }) => causeway.sandbox.clock({ signal }),
  refetchInterval: clockMs,
})

export async function advanceClock(advanceSeconds: number): Promise<void> {
  queryClient.setQueryData(clockQuery.queryKey, await causeway.sandbox.moveClock({ advanceSeconds }))
}

/** Polls, because no event is sent when a fault is used up. */
export const faultsQuery = queryOptions({
  queryKey: ['sandbox', 'faults'],
  queryFn: ({ signal }) => causeway.sandbox.faults({ signal }),
  refetchInterval: inboxMs,
})

export async function addFault(body: Body<'addSandboxFault'>): Promise<void> {
  await causeway.sandbox.addFault(body)
  await queryClient.invalidateQueries({ queryKey: faultsQuery.queryKey })
}

export async function clearFaults(): Promise<void> {
  await causeway.sandbox.clearFaults()
  queryClient.setQueryData(faultsQuery.queryKey, [])
}

export const inboxesQuery = queryOptions({
  queryKey: ['sandbox', 'inboxes'],
  queryFn: async ({ signal }) => (await causeway.sandbox.inboxes({ limit: choicesMax }, { signal })).data,
  refetchInterval: inboxMs,
})

export async function configureInbox(id: string, body: Body<'configureSandboxInbox'>): Promise<void> {
  const changed = await causeway.sandbox.configureInbox(id, body)
  queryClient.setQueryData(inboxesQuery.queryKey, (known: readonly SandboxInbox[] | undefined) =>
    known?.map((inbox) => (inbox.id === id ? changed : inbox)),
  )
}

/** Accounts into which can be paid, of one end-user or of all. */
export const openAccountsQuery = (externalUserId: string) => {
  const query = {
    status: 'active',
    limit: choicesMax,
    ...(externalUserId !== '' && { externalUserId }),
  } as const
  return queryOptions({
    queryKey: ['accounts', 'list', query],
    queryFn: async ({ signal }) => (await causeway.virtualAccounts.list(query, { signal })).data,
  })
}

export const endUsersLikeQuery = (q: string) =>
  queryOptions({
    queryKey: ['end-users', 'list', { q, limit: 8 }],
    queryFn: async ({ signal }) =>
      (await causeway.endUsers.list({ limit: 8, ...(q !== '' && { q }) }, { signal })).data,
  })

export const openInformationRequestsQuery = queryOptions({
  queryKey: ['sandbox', 'information-requests'],
  queryFn: async ({ signal }) => {
    const { data } = await causeway.informationRequests.list({ limit: 20 }, { signal })
    return data.filter(({ state }) => state !== 'closed')
  },
  refetchInterval: inboxMs,
})

const readRequests = () => queryClient.invalidateQueries({ queryKey: openInformationRequestsQuery.queryKey })

export async function openInformationRequest(body: Body<'simulateInformationRequest'>): Promise<void> {
  await causeway.sandbox.simulateInformationRequest(body)
  await readRequests()
}

export async function advanceInformationRequest(
  id: string,
  to: Body<'advanceInformationRequest'>['to'],
): Promise<void> {
  await causeway.sandbox.advanceInformationRequest(id, { to })
  await readRequests()
}

const waitingShownMax = 10

/** Deposits that somebody must decide, or that wait for their time. */
export const waitingDepositsQuery = queryOptions({
  queryKey: ['deposits', 'list', { waiting: true }],
  queryFn: async ({ signal }) => {
    const pages = await Promise.all(
      (['in_review', 'scheduled'] as const).map((status) =>
        causeway.deposits.list({ status, limit: waitingShownMax }, { signal }),
      ),
    )
    return pages.flatMap(({ data }) => data)
  },
  refetchInterval: inboxMs,
})

/** @returns how many end-users are forgotten */
export async function resetSandbox(): Promise<number> {
  const { deletedEndUsers } = await causeway.sandbox.reset()
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] !== 'config' && queryKey[0] !== 'session',
  })
  return deletedEndUsers
}
