// The layouts of pages: one for signed-out users, one for a business, one for the operator.

import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { Toasts } from './components/toasts.tsx'
import { present } from './search.ts'
import { queryClient } from './session/client.ts'
import { configQuery, keptNext, knownSession, type Session } from './session/session.ts'
import { lazyPage } from './shell/lazy-page.ts'
import { OfflineBar } from './shell/offline-bar.tsx'
import { SessionChanged } from './shell/session-changed.tsx'
import { LinkPage } from './shell/sign-in/link-page.tsx'
import { SignInPage } from './shell/sign-in/sign-in-page.tsx'
import { SignInTooOld } from './shell/staff/sign-in-too-old.tsx'
import { NowherePage } from './shell/trouble.tsx'

export const rootRoute = createRootRoute({
  loader: () => queryClient.ensureQueryData(configQuery),
  component: () => (
    <>
      <OfflineBar />
      <Outlet />
      <SessionChanged />
      <SignInTooOld />
      <Toasts />
    </>
  ),
  notFoundComponent: NowherePage,
})

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

export type SignInSearch = {
  /** The page to return to, below /console. */
  next?: string
  /** A business, or `operator`: in a link that an administrator shares, and where the server leads back after an error. */
  owner?: string
  /** Why the company's identity provider could not sign the person in. */
  error?: string
}

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): SignInSearch => {
    const error = textOf(search['error'])
    // The server writes the whole path, and none after an error.
    const next = textOf(search['next'])?.replace(/^\/console(?=[/?#]|$)/, '') ?? (error && keptNext())
    return present({ next, owner: textOf(search['owner'] ?? search['business']), error })
  },
  component: SignInPage,
})

export const linkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/link',
  component: LinkPage,
})

/** Reads who is signed in. @throws redirect to the sign-in, with the way back */
async function requireRole(role: Session['role'], href: string): Promise<{ session: Session }> {
  await queryClient.ensureQueryData(configQuery)
  const session = knownSession()
  if (session?.role === role) return { session }
  // The operator's pages require the operator's secret. Another session continues until the secret is entered.
  if (session?.role === 'operator') throw redirect({ to: '/operator' })
  throw redirect({ to: '/sign-in', search: { next: href } })
}

export const businessRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'business',
  beforeLoad: ({ location }) => requireRole('business', location.href),
  component: lazyPage(() => import('./shell/shell.tsx'), 'BusinessShell'),
})

export const operatorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/operator',
  beforeLoad: ({ location }) => requireRole('operator', location.href),
  component: lazyPage(() => import('./shell/shell.tsx'), 'OperatorShell'),
})

/** Every other address, within the frame of who is signed in. */
export const nowhereRoute = createRoute({ getParentRoute: () => businessRoute, path: '$', component: NowherePage })

export const operatorNowhereRoute = createRoute({
  getParentRoute: () => operatorRoute,
  path: '$',
  component: NowherePage,
})
