// The pages of webhooks: endpoints, deliveries, replays.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { cursor, oneOf, searchOf, text, time } from '../../shell/search.ts'
import { deliveryStatuses } from '../../subjects/delivery.ts'

const deliveryFilters = {
  status: oneOf(deliveryStatuses),
  eventType: text(),
  externalUserId: text(),
  from: time,
  to: time,
  cursor,
}

export const webhooksRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/webhooks',
  component: lazyPage(() => import('./endpoints/endpoints-page.tsx'), 'EndpointsPage'),
})

export const endpointRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/webhooks/$id',
  validateSearch: searchOf({ ...deliveryFilters, range: oneOf(['24h', '7d', '30d']) }),
  component: lazyPage(() => import('./endpoints/endpoint-page.tsx'), 'EndpointPage'),
})

export const deliveriesRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/webhooks/deliveries',
  validateSearch: searchOf({ ...deliveryFilters, webhookEndpointId: text(64) }),
  component: lazyPage(() => import('./deliveries/deliveries-page.tsx'), 'DeliveriesPage'),
})

export const deliveryRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/webhooks/deliveries/$id',
  component: lazyPage(() => import('./deliveries/delivery-page.tsx'), 'DeliveryPage'),
})

export const replayRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/webhooks/replays/$id',
  component: lazyPage(() => import('./replays/replay-page.tsx'), 'ReplayPage'),
})

export const webhookRoutes = [webhooksRoute, endpointRoute, deliveriesRoute, deliveryRoute, replayRoute] as const
