// The pages of operator.

import { createRoute } from '@tanstack/react-router'
import { operatorRoute } from '../../routes.tsx'
import { ComingPage } from '../../shell/trouble.tsx'

export const businessesRoute = createRoute({ getParentRoute: () => operatorRoute, path: '/', component: ComingPage })
export const serviceRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '/service',
  component: ComingPage,
})

export const operatorRoutes = [businessesRoute, serviceRoute] as const
