// The pages of events.

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
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
  component: lazyRouteComponent(() => import('./list-page.tsx'), 'EventsPage'),
})

export const eventRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/events/$id',
  component: lazyRouteComponent(() => import('./event-page.tsx'), 'EventPage'),
})

export const eventRoutes = [eventsRoute, eventRoute] as const
