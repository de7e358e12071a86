// The first page.

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { type Range, rangeOf } from './range.ts'

export const homeRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/',
  validateSearch: ({ range }: Record<string, unknown>): { range?: Range } => {
    const given = rangeOf(range)
    return given === undefined ? {} : { range: given }
  },
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
})

export const homeRoutes = [homeRoute] as const
