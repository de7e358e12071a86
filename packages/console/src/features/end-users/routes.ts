// The pages of end-users.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { queryClient } from '../../session/client.ts'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountsOfQuery, depositsOfQuery, endUserQuery, endUsersQuery, onboardingLinksQuery } from './queries.ts'
import { listQueryOf, listSearchOf } from './search.ts'

export const endUsersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/end-users',
  validateSearch: listSearchOf,
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => void queryClient.prefetchQuery(endUsersQuery(listQueryOf(deps))),
  component: lazyPage(() => import('./list-page.tsx'), 'EndUsersPage'),
})

export const endUserRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/end-users/$externalUserId',
  validateSearch: ({ events }: Record<string, unknown>): { events?: 'all' } => (events === 'all' ? { events } : {}),
  loader: ({ params: { externalUserId } }) => {
    void queryClient.prefetchQuery(endUserQuery(externalUserId))
    void queryClient.prefetchQuery(onboardingLinksQuery(externalUserId))
    void queryClient.prefetchQuery(accountsOfQuery(externalUserId))
    void queryClient.prefetchQuery(depositsOfQuery(externalUserId))
  },
  component: lazyPage(() => import('./one/page.tsx'), 'EndUserPage'),
})

export const endUserRoutes = [endUsersRoute, endUserRoute] as const
