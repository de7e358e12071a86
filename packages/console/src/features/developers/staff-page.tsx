// The staff of the business who sign in with a company account.

import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { present } from '../../search.ts'
import { may } from '../../session/session.ts'
import { allScopes } from '../../subjects/scopes.tsx'
import { SignInCard } from '../../subjects/staff/sign-in-card.tsx'
import { StaffList } from '../../subjects/staff/staff-list.tsx'

const route = getRouteApi('/business/developers/staff')

export function StaffPage() {
  const { cursor } = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  return (
    <Page
      title="Staff"
      intro="People who sign in with a company account. Groups at your identity provider decide their roles."
    >
      <StaffList
        session={session}
        cursor={cursor}
        onPage={(next) => void navigate({ search: present({ cursor: next }) })}
      />
      <SignInCard
        owner={null}
        customerId={session.customerId ?? ''}
        mayWrite={allScopes.every((scope) => may(session, scope))}
      />
    </Page>
  )
}
