// What the generated pages of the reference are given by this site.
import { defineRouteMiddleware } from '@astrojs/starlight/route-data'
import { operations, tags } from './reference/operations.ts'

/** Pages that the reference calls Overview, by their subjects. */
const overviews = new Map([['reference/api', 'API reference'], ...tags])

export const onRequest = defineRouteMiddleware(({ locals }) => {
  const route = locals.starlightRoute
  const { entry, id } = route
  nameEvents(route.sidebar)
  // The search finds the page of all events instead.
  if (id.startsWith('reference/api/webhooks/')) entry.data.pagefind = false
  // The samples are in the place of the list of headings.
  if (operations.has(id)) route.toc = undefined
  const title = overviews.get(id)
  if (title === undefined) return
  entry.data.title = title
  for (const tag of route.head) if (tag.tag === 'title') tag.content = `${title} | Causeway`
})

type Entries = App.Locals['starlightRoute']['sidebar']

/** The reference calls the group of our events Webhooks, as it calls the group of the operations about webhooks. */
function nameEvents(entries: Entries): void {
  for (const entry of entries) {
    if (entry.type !== 'group') continue
    const isOfEvents = entry.entries.some((one) => one.type === 'link' && one.href.includes('/reference/api/webhooks/'))
    if (isOfEvents) entry.label = 'Event payloads'
    nameEvents(entry.entries)
  }
}
