// The alerts of the business.

import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { AlertsView } from '../../subjects/alerts/alerts-view.tsx'
import { mayChangeAlerts } from '../../subjects/alerts/channels-view.tsx'
import { CreateChannel } from '../../subjects/alerts/create-channel.tsx'

const route = getRouteApi('/business/alerts')

export function AlertsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  return (
    <Page
      title="Alerts"
      intro="Problems that need a person, and when they ended."
      actions={
        mayChangeAlerts(session) && (
          <CreateChannel
            role={session.role}
            onCreated={() => void navigate({ to: '/alerts/channels', ignoreBlocker: true })}
          />
        )
      }
    >
      <AlertsView
        session={session}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: typeof next === 'function' })}
      />
    </Page>
  )
}
