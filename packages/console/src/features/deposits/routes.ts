// The pages of deposits.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { ComingPage } from '../../shell/trouble.tsx'

export const depositsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/deposits',
  component: ComingPage,
})

export const depositRoutes = [depositsRoute] as const
