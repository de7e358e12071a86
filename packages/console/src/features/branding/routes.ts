// How the pages of the business look that its end-users see.

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'

export const brandingRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/branding',
  component: lazyRouteComponent(() => import('./branding-page.tsx'), 'BrandingPage'),
})

export const brandingRoutes = [brandingRoute] as const
