// The alert channels of the operator.

import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../../components/page.tsx'
import { ChannelsView, mayChangeAlerts } from '../../../subjects/alerts/channels-view.tsx'
import { CreateChannel } from '../../../subjects/alerts/create-channel.tsx'

const route = getRouteApi('/operator/alerts/channels')

export function OperatorChannelsPage() {
  const { session } = route.useRouteContext()
  return (
    <Page
      title="Alert channels"
      intro="For alerts about this deployment. Each channel gets at most one message per minute."
      actions={mayChangeAlerts(session) && <CreateChannel role={session.role} />}
    >
      <ChannelsView session={session} />
    </Page>
  )
}
