// Queries and writes of the end-user pages.

import type { Body, EndUser, Event, FiatCurrency, NewOnboardingLink, OnboardingLink, Query } from '@causeway/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'

const subject = 'end-users'

export const endUsersQuery = (query: Query<'listEndUsers'>) =>
  queryOptions({
    queryKey: [subject, 'list', query],
    queryFn: async ({ signal }) => {
      const { data, nextCursor } = await causeway.endUsers.list(query, { signal })
      return { data, nextCursor }
    },
    placeholderData: keepPreviousData,
  })

export const endUserQuery = (externalUserId: string) =>
  queryOptions({
    queryKey: [subject, 'one', externalUserId],
    queryFn: ({ signal }): Promise<EndUser> => causeway.endUsers.get(externalUserId, { signal }),
  })

/**
 * Asks the provider, so only where a link or a reason is wanted.
 * @param currency that the end-user wants to be approved for, beyond those that are open
 */
export const kycLinksQuery = (externalUserId: string, currency?: FiatCurrency) =>
  queryOptions({
    queryKey: [subject, 'links', externalUserId, currency ?? null],
    queryFn: ({ signal }) => causeway.kyc.links(externalUserId, currency === undefined ? {} : { currency }, { signal }),
    staleTime: 60_000,
  })

/**
 * Not aborted with its dialog: the server rejects a concurrent second request (409), so a reopened dialog joins the
 * first.
 */
export const termsLinkQuery = (externalUserId: string) =>
  queryOptions({
    queryKey: [subject, 'terms-link', externalUserId],
    queryFn: async () => {
      const { tosLink } = await causeway.endUsers.createTosLink(externalUserId)
      void queryClient.invalidateQueries({ queryKey: endUserQuery(externalUserId).queryKey })
      return tosLink
    },
  })

export const onboardingLinksQuery = (externalUserId: string) =>
  queryOptions({
    queryKey: [subject, 'onboarding', externalUserId],
    queryFn: async ({ signal }) => {
      const { data, nextCursor } = await causeway.onboarding.links(externalUserId, { limit: linkLimit }, { signal })
      return { rows: data, nextCursor }
    },
  })

/** One is open at most: the others are history. */
const linkLimit = 5
const partLimit = 10

export const accountsOfQuery = (externalUserId: string) =>
  queryOptions({
    queryKey: ['accounts', 'list', { externalUserId, limit: partLimit }],
    queryFn: async ({ signal }) => {
      const { data, nextCursor } = await causeway.virtualAccounts.list({ externalUserId, limit: partLimit }, { signal })
      return { rows: data, nextCursor }
    },
  })

export const depositsOfQuery = (externalUserId: string) =>
  queryOptions({
    queryKey: ['deposits', 'list', { externalUserId, limit: partLimit }],
    queryFn: async ({ signal }) => {
      const { data, nextCursor } = await causeway.deposits.list({ externalUserId, limit: partLimit }, { signal })
      return { rows: data, nextCursor }
    },
  })

export type StoryPage = { events: readonly Event[]; nextCursor: string | null }

/** One page of what happened. @param isWhole with the provider's own events */
export async function readStory(externalUserId: string, isWhole: boolean, cursor: string | null): Promise<StoryPage> {
  const query: Query<'listEvents'> = { externalUserId, limit: 25 }
  if (!isWhole) query.sources = ['causeway']
  if (cursor !== null) query.cursor = cursor
  const { data, nextCursor } = await causeway.events.list(query)
  return { events: data, nextCursor }
}

function show(user: EndUser): EndUser {
  queryClient.setQueryData(endUserQuery(user.externalUserId).queryKey, user)
  void queryClient.invalidateQueries({ queryKey: [subject, 'list'] })
  void queryClient.invalidateQueries({ queryKey: ['home'] })
  return user
}

export const createEndUser = async (body: Body<'createEndUser'>): Promise<EndUser> =>
  show(await causeway.endUsers.create(body))

export async function updateEndUser(externalUserId: string, body: Body<'updateEndUser'>): Promise<EndUser> {
  const user = await causeway.endUsers.update(externalUserId, body)
  void queryClient.invalidateQueries({ queryKey: ['events', 'story', externalUserId] })
  return show(user)
}

export async function deleteEndUser(externalUserId: string): Promise<void> {
  await causeway.endUsers.delete(externalUserId)
  void queryClient.invalidateQueries({ queryKey: [subject, 'list'] })
  void queryClient.invalidateQueries({ queryKey: ['home'] })
}

/** The link goes to the dialog that shows it, and into no cache. */
export async function makeOnboardingLink(
  externalUserId: string,
  body: Body<'createOnboardingLink'>,
): Promise<NewOnboardingLink> {
  const link = await causeway.onboarding.createLink(externalUserId, body)
  void queryClient.invalidateQueries({ queryKey: onboardingLinksQuery(externalUserId).queryKey })
  return link
}

export async function revokeOnboardingLink({ externalUserId, id }: OnboardingLink): Promise<void> {
  await causeway.onboarding.revokeLink(id)
  void queryClient.invalidateQueries({ queryKey: onboardingLinksQuery(externalUserId).queryKey })
}
