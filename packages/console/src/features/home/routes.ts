// The first page.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { type Range, rangeOf } from './range.ts'

export const homeRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/',
  validateSearch: ({ range }: Record<string, unknown>): { range?: Range } => {
    const given = rangeOf(range)
    return given === undefined ? {} : { range: given }
  },
  component: lazyPage(() => import('./home-page.tsx'), 'HomePage'),
})

export const homeRoutes = [homeRoute] as const
