// The pages of events.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { ComingPage } from '../../shell/trouble.tsx'

export const eventsRoute = createRoute({ getParentRoute: () => businessRoute, path: '/events', component: ComingPage })

export const eventRoutes = [eventsRoute] as const
