// Keeps the generated page of each event out of the search: the page of all events is found instead.
import { defineRouteMiddleware } from '@astrojs/starlight/route-data'

export const onRequest = defineRouteMiddleware(({ locals }) => {
  const { entry, id } = locals.starlightRoute
  if (id.startsWith('reference/api/webhooks/')) entry.data.pagefind = false
})
