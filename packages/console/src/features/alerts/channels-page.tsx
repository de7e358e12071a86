// The alert channels of the business.

import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { ChannelsView, mayChangeAlerts } from '../../subjects/alerts/channels-view.tsx'
import { CreateChannel } from '../../subjects/alerts/create-channel.tsx'

const route = getRouteApi('/business/alerts/channels')

export function ChannelsPage() {
  const { session } = route.useRouteContext()
  return (
    <Page
      title="Alert channels"
      intro="Each channel gets at most one message per minute. Alerts in between are combined."
      actions={mayChangeAlerts(session) && <CreateChannel role={session.role} />}
    >
      <ChannelsView session={session} />
    </Page>
  )
}
