// The pages of accounts.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { choiceIn, present, textIn } from '../../search.ts'
import { lazyPage } from '../../shell/lazy-page.ts'
import { accountStatuses, sourceCurrencies } from '../../subjects/filter-values.ts'

export const accountsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/accounts',
  validateSearch: (search: Record<string, unknown>) =>
    present({
      /** The complete ID of an end-user. */
      externalUserId: textIn(search, 'externalUserId'),
      /** `key=value`. */
      label: textIn(search, 'label'),
      status: choiceIn(search, 'status', accountStatuses),
      sourceCurrency: choiceIn(search, 'sourceCurrency', sourceCurrencies),
      destinationChange: choiceIn(search, 'destinationChange', ['waiting']),
      cursor: textIn(search, 'cursor'),
    }),
  component: lazyPage(() => import('./list-page.tsx'), 'AccountsPage'),
})

export const accountRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/accounts/$accountId',
  component: lazyPage(() => import('./account-page.tsx'), 'AccountPage'),
})

export const accountRoutes = [accountsRoute, accountRoute] as const
