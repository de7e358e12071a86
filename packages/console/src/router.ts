// The tree of all pages. Each subject lists its own; the code of a page is loaded when somebody goes there.

import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from './features/accounts/routes.ts'
import { alertRoutes } from './features/alerts/routes.ts'
import { brandingRoutes } from './features/branding/routes.ts'
import { cliLoginRoutes } from './features/cli-login/routes.ts'
import { depositRoutes } from './features/deposits/routes.ts'
import { developerRoutes } from './features/developers/routes.ts'
import { endUserRoutes } from './features/end-users/routes.ts'
import { eventRoutes } from './features/events/routes.ts'
import { homeRoutes } from './features/home/routes.ts'
import { operatorRoutes } from './features/operator/routes.ts'
import { sandboxRoutes } from './features/sandbox/routes.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import {
  businessRoute,
  linkRoute,
  nowhereRoute,
  operatorNowhereRoute,
  operatorRoute,
  rootRoute,
  signInRoute,
} from './routes.tsx'
import { NowherePage, PendingPage, TroublePage } from './shell/trouble.tsx'

const business = businessRoute.addChildren([
  ...homeRoutes,
  ...endUserRoutes,
  ...accountRoutes,
  ...depositRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...alertRoutes,
  ...brandingRoutes,
  ...developerRoutes,
  ...sandboxRoutes,
  ...cliLoginRoutes,
  nowhereRoute,
])

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signInRoute,
    linkRoute,
    business,
    operatorRoute.addChildren([...operatorRoutes, operatorNowhereRoute]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  // TanStack Query decides what is fresh.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: TroublePage,
  defaultPendingComponent: PendingPage,
  defaultNotFoundComponent: NowherePage,
  // Members that the validation of a page removes from its search must not reach the page.
  search: { strict: true },
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
