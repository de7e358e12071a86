// The pages of the operator.

import { createRoute } from '@tanstack/react-router'
import { operatorRoute } from '../../routes.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { cursor, oneOf, searchOf, text } from '../../shell/search.ts'
import { alertSearch, messageSearch } from '../../subjects/alerts/search.ts'
import { auditSearch, requestSearch } from '../../subjects/logs/search.ts'

export const overviewRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/',
  component: lazyPage(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
})

export const businessesRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/businesses',
  validateSearch: searchOf({ q: text(200), status: oneOf(['active', 'suspended']), cursor }),
  component: lazyPage(() => import('./businesses/list-page.tsx'), 'BusinessesPage'),
})

export const oneBusinessRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/businesses/$customerId',
  validateSearch: searchOf({ cursor }),
  component: lazyPage(() => import('./businesses/business-page.tsx'), 'BusinessPage'),
})

export const businessRequestsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/businesses/$customerId/requests',
  validateSearch: requestSearch,
  component: lazyPage(() => import('./businesses/requests-page.tsx'), 'BusinessRequestsPage'),
})

export const businessRequestRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/businesses/$customerId/requests/$id',
  component: lazyPage(() => import('./businesses/request-page.tsx'), 'BusinessRequestPage'),
})

export const businessAuditRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/businesses/$customerId/audit',
  validateSearch: auditSearch,
  component: lazyPage(() => import('./businesses/audit-page.tsx'), 'BusinessAuditPage'),
})

export const businessSignInRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/businesses/$customerId/sign-in',
  component: lazyPage(() => import('./businesses/sign-in-page.tsx'), 'BusinessSignInPage'),
})

export const heldEventsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/events',
  validateSearch: searchOf({ state: oneOf(['waiting', 'quarantined']), cursor }),
  component: lazyPage(() => import('./events/list-page.tsx'), 'HeldEventsPage'),
})

export const heldEventRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/events/$id',
  component: lazyPage(() => import('./events/event-page.tsx'), 'HeldEventPage'),
})

export const storageRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/storage',
  component: lazyPage(() => import('./storage/storage-page.tsx'), 'StoragePage'),
})

export const operatorStaffRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/staff',
  validateSearch: searchOf({ cursor }),
  component: lazyPage(() => import('./staff/staff-page.tsx'), 'OperatorStaffPage'),
})

export const operatorAlertsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/alerts',
  validateSearch: alertSearch,
  component: lazyPage(() => import('./alerts/alerts-page.tsx'), 'OperatorAlertsPage'),
})

export const operatorChannelsRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/alerts/channels',
  component: lazyPage(() => import('./alerts/channels-page.tsx'), 'OperatorChannelsPage'),
})

export const operatorMessagesRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/alerts/messages',
  validateSearch: messageSearch,
  component: lazyPage(() => import('./alerts/messages-page.tsx'), 'OperatorMessagesPage'),
})

export const operatorRoutes = [
  overviewRoute,
  businessesRoute,
  oneBusinessRoute,
  businessRequestsRoute,
  businessRequestRoute,
  businessAuditRoute,
  businessSignInRoute,
  heldEventsRoute,
  heldEventRoute,
  storageRoute,
  operatorStaffRoute,
  operatorAlertsRoute,
  operatorChannelsRoute,
  operatorMessagesRoute,
] as const
