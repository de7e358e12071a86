// The pages of accounts.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { ComingPage } from '../../shell/trouble.tsx'

export const accountsRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/accounts',
  component: ComingPage,
})

export const accountRoutes = [accountsRoute] as const
