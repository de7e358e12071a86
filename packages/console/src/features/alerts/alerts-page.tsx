// The alerts of the business.

import { getRouteApi, Link } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { AlertsView } from '../../subjects/alerts/alerts-view.tsx'

const route = getRouteApi('/business/alerts')

export function AlertsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  return (
    <Page
      title="Alerts"
      intro="Problems that need your attention, and security notices such as new API keys."
      actions={
        <Button asChild>
          <Link to="/alerts/channels">Manage channels</Link>
        </Button>
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
