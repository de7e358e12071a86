// The pages of deposits.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { choiceIn, dayIn, present, textIn } from '../../search.ts'
import { lazyPage } from '../../shell/lazy-page.ts'
import { depositStatuses, sourceCurrencies } from '../../subjects/filter-values.ts'

export const depositsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/deposits',
  validateSearch: (search: Record<string, unknown>) =>
    present({
      /** An id, a reference or a transaction hash, whole. */
      q: textIn(search, 'q'),
      status: choiceIn(search, 'status', depositStatuses),
      sourceCurrency: choiceIn(search, 'sourceCurrency', sourceCurrencies),
      externalUserId: textIn(search, 'externalUserId'),
      virtualAccountId: textIn(search, 'virtualAccountId'),
      /** Days of UTC, both inclusive. */
      from: dayIn(search, 'from'),
      to: dayIn(search, 'to'),
      cursor: textIn(search, 'cursor'),
    }),
  component: lazyPage(() => import('./list-page.tsx'), 'DepositsPage'),
})

export const depositReportRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/deposits/report',
  validateSearch: (search: Record<string, unknown>) =>
    present({ day: dayIn(search, 'day'), cursor: textIn(search, 'cursor') }),
  component: lazyPage(() => import('./report-page.tsx'), 'DepositReportPage'),
})

export const depositRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/deposits/$depositId',
  component: lazyPage(() => import('./deposit-page.tsx'), 'DepositPage'),
})

export const depositRoutes = [depositsRoute, depositReportRoute, depositRoute] as const
