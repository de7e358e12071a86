// Starts the page of the link in the URL. The code of the link comes after the `#`, which browsers do not send to a
// server.

import { createRoot } from 'react-dom/client'
import { handBack, returnedAgreement } from './agreement.ts'
import { App } from './app.tsx'
import { isEmbedded, listenToParent } from './embedding.ts'
import { Boundary } from './layout/boundary.tsx'
import './styles.css'
import './layout.css'

const parent = listenToParent()
const root = document.getElementById('root')

if (isEmbedded()) {
  document.documentElement.classList.add('embedded')
  new ResizeObserver(() =>
    parent.tell({ type: 'causeway.onboarding.height', height: document.documentElement.offsetHeight }),
  ).observe(document.documentElement)
}
// Another link to the same page is another page.
addEventListener('hashchange', () => location.reload())

const agreement = returnedAgreement()
if (agreement !== null) handBack(agreement)
else if (root)
  createRoot(root).render(
    <Boundary>
      <App code={location.hash.slice(1)} parent={parent} />
    </Boundary>,
  )
