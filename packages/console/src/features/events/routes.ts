// The pages of events.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { cursor, oneOf, searchOf, text, time } from '../../shell/search.ts'

const validateSearch = searchOf({
  eventType: text(),
  externalUserId: text(),
  virtualAccountId: text(64),
  source: oneOf(['causeway', 'provider']),
  from: time,
  to: time,
  cursor,
})

export const eventsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/events',
  validateSearch,
  component: lazyPage(() => import('./list-page.tsx'), 'EventsPage'),
})

export const eventRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/events/$id',
  component: lazyPage(() => import('./event-page.tsx'), 'EventPage'),
})

export const eventRoutes = [eventsRoute, eventRoute] as const
