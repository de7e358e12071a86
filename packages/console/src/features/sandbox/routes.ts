// The page of the sandbox.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

export const sandboxRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/sandbox',
  // Whom the forms are about to begin with: other pages lead here.
  validateSearch: (search: Record<string, unknown>): { externalUserId?: string; account?: string } => {
    const externalUserId = textOf(search['externalUserId'])
    const account = textOf(search['account'])
    return { ...(externalUserId !== undefined && { externalUserId }), ...(account !== undefined && { account }) }
  },
  component: lazyPage(() => import('./sandbox-page.tsx'), 'SandboxPage'),
})

export const sandboxRoutes = [sandboxRoute] as const
