// The alerts of the operator.

import { getRouteApi, Link } from '@tanstack/react-router'
import { Page } from '../../../components/page.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { AlertsView } from '../../../subjects/alerts/alerts-view.tsx'

const route = getRouteApi('/operator/alerts')

export function OperatorAlertsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  return (
    <Page
      title="Alerts"
      intro="Problems with this deployment that need your attention."
      actions={
        <Button asChild>
          <Link to="/operator/alerts/channels">Manage channels</Link>
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
