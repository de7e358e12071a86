// The pages of sandbox.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { ComingPage } from '../../shell/trouble.tsx'

export const sandboxRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/sandbox',
  component: ComingPage,
})

export const sandboxRoutes = [sandboxRoute] as const
