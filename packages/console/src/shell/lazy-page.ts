// The code of a page, loaded when somebody goes there.

import { lazyRouteComponent } from '@tanstack/react-router'

/** The code of a page did not come: the connection is lost, or a new version has other files. */
export class PageNotLoaded extends Error {}

/** As `lazyRouteComponent`, which would reload the tab at a failure, and lose what was typed. */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw new PageNotLoaded('the code of this page did not come', { cause })
      }),
    name,
  )
