// Puts the console into its page.

import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { router } from './router.ts'
import { queryClient, whenSessionChanges, whenSessionEnds } from './session/client.ts'
import { onceLetGo } from './session/kept-page.ts'
import { forget, whenOtherTabSigns } from './session/session.ts'
import { lookWhoIsSignedIn } from './shell/session-changed.tsx'
import { applyTheme } from './shell/theme.ts'
import './styles.css'

applyTheme()

// A session ends with its key, its link, or by time: the next request leads to the sign-in page, with the way back.
const goToSignIn = (): void => {
  const { pathname, href } = router.state.location
  if (pathname === '/sign-in' || pathname === '/link') return
  forget()
  void router.navigate({ to: '/sign-in', search: { next: href } })
}
const look = (): void => void lookWhoIsSignedIn(() => onceLetGo(goToSignIn))
whenSessionEnds(look)
whenSessionChanges(look)
whenOtherTabSigns(look)

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the console')
createRoot(root).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
