// The messages to the alert channels of the business.

import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { MessagesView } from '../../subjects/alerts/messages-view.tsx'

const route = getRouteApi('/business/alerts/messages')

export function MessagesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  return (
    <Page
      title="Alert messages"
      intro="Messages to your alert channels. Causeway retries failed messages for 24 hours."
    >
      <MessagesView
        session={session}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: typeof next === 'function' })}
      />
    </Page>
  )
}
