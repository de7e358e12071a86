// How the pages of the business look that its end-users see.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'

export const brandingRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/branding',
  component: lazyPage(() => import('./branding-page.tsx'), 'BrandingPage'),
})

export const brandingRoutes = [brandingRoute] as const
