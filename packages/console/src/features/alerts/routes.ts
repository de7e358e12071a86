// The pages of alerts: alerts, channels, messages.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { alertSearch, messageSearch } from '../../subjects/alerts/search.ts'

const getParentRoute = () => businessRoute

export const alertsRoute = createRoute({
  getParentRoute,
  path: '/alerts',
  validateSearch: alertSearch,
  component: lazyPage(() => import('./alerts-page.tsx'), 'AlertsPage'),
})

export const channelsRoute = createRoute({
  getParentRoute,
  path: '/alerts/channels',
  component: lazyPage(() => import('./channels-page.tsx'), 'ChannelsPage'),
})

export const messagesRoute = createRoute({
  getParentRoute,
  path: '/alerts/messages',
  validateSearch: messageSearch,
  component: lazyPage(() => import('./messages-page.tsx'), 'MessagesPage'),
})

export const alertRoutes = [alertsRoute, channelsRoute, messagesRoute] as const
