// The pages of developers: keys, links into the console, staff, the log of requests, the audit log.

import { createRoute, redirect } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { cursor, searchOf } from '../../shell/search.ts'
import { auditSearch, requestSearch } from '../../subjects/logs/search.ts'

const pageSearch = searchOf({ cursor })
const getParentRoute = () => businessRoute

export const developersRoute = createRoute({
  getParentRoute,
  path: '/developers',
  beforeLoad: () => {
    throw redirect({ to: '/developers/keys', replace: true })
  },
})

export const keysRoute = createRoute({
  getParentRoute,
  path: '/developers/keys',
  validateSearch: pageSearch,
  component: lazyPage(() => import('./keys/keys-page.tsx'), 'KeysPage'),
})

export const linksRoute = createRoute({
  getParentRoute,
  path: '/developers/links',
  validateSearch: pageSearch,
  component: lazyPage(() => import('./keys/links-page.tsx'), 'LinksPage'),
})

export const staffRoute = createRoute({
  getParentRoute,
  path: '/developers/staff',
  validateSearch: pageSearch,
  component: lazyPage(() => import('./staff-page.tsx'), 'StaffPage'),
})

export const requestsRoute = createRoute({
  getParentRoute,
  path: '/developers/requests',
  validateSearch: requestSearch,
  component: lazyPage(() => import('./logs/requests-page.tsx'), 'RequestsPage'),
})

export const requestRoute = createRoute({
  getParentRoute,
  path: '/developers/requests/$id',
  component: lazyPage(() => import('./logs/request-page.tsx'), 'OwnRequestPage'),
})

export const auditRoute = createRoute({
  getParentRoute,
  path: '/developers/audit',
  validateSearch: auditSearch,
  component: lazyPage(() => import('./logs/audit-page.tsx'), 'AuditPage'),
})

export const developerRoutes = [
  developersRoute,
  keysRoute,
  linksRoute,
  staffRoute,
  requestsRoute,
  requestRoute,
  auditRoute,
] as const
