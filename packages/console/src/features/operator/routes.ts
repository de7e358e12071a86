// The pages of the operator.

import { createRoute } from '@tanstack/react-router'
import { operatorRoute } from '../../routes.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { cursor, oneOf, searchOf, text } from '../../shell/search.ts'

export const businessesRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/',
  validateSearch: searchOf({ q: text(200), status: oneOf(['active', 'suspended']), cursor }),
  component: lazyPage(() => import('./businesses/list-page.tsx'), 'BusinessesPage'),
})

export const oneBusinessRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/businesses/$customerId',
  validateSearch: searchOf({ cursor }),
  component: lazyPage(() => import('./businesses/business-page.tsx'), 'BusinessPage'),
})

export const serviceRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/service',
  component: lazyPage(() => import('./service/service-page.tsx'), 'ServicePage'),
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

export const operatorRoutes = [
  businessesRoute,
  oneBusinessRoute,
  serviceRoute,
  heldEventsRoute,
  heldEventRoute,
  storageRoute,
] as const
