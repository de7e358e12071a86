// The page that signs a terminal in.

import { createRoute } from '@tanstack/react-router'
import { businessRoute } from '../../routes.tsx'
import { choiceIn, present, textIn } from '../../search.ts'
import { lazyPage } from '../../shell/lazy-page.ts'

export const cliLoginRoute = createRoute({
  getParentRoute: () => businessRoute,
  path: '/cli-login',
  validateSearch: (search: Record<string, unknown>) =>
    present({
      /** Port of the command that listens on this computer. */
      port: textIn(search, 'port'),
      state: textIn(search, 'state'),
      /** Its public key, for which the API key is sealed. */
      key: textIn(search, 'key'),
      device: textIn(search, 'device'),
      /** Where the command sends the browser back to. */
      outcome: choiceIn(search, 'outcome', ['confirmed', 'refused']),
    }),
  component: lazyPage(() => import('./cli-login-page.tsx'), 'CliLoginPage'),
})

export const cliLoginRoutes = [cliLoginRoute] as const
