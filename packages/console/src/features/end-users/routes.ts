// The pages of end-users.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { ComingPage } from '../../shell/trouble.tsx'

export const endUsersRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/end-users',
  component: ComingPage,
})

export const endUserRoutes = [endUsersRoute] as const
