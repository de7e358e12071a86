// The pages of home.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { ComingPage } from '../../shell/trouble.tsx'

export const homeRoute = createRoute({ getParentRoute: () => businessRoute, path: '/', component: ComingPage })

export const homeRoutes = [homeRoute] as const
