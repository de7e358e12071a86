// The pages of webhooks.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { ComingPage } from '../../shell/trouble.tsx'

export const webhooksRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/webhooks',
  component: ComingPage,
})

export const webhookRoutes = [webhooksRoute] as const
