// The pages of developers.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { ComingPage } from '../../shell/trouble.tsx'

export const developersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/developers',
  component: ComingPage,
})

export const developerRoutes = [developersRoute] as const
