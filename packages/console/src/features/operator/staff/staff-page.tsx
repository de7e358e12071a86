// The staff of the operator who sign in with a company account.

import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../../components/page.tsx'
import { present } from '../../../search.ts'
import { StaffList } from '../../../subjects/staff/staff-list.tsx'

const route = getRouteApi('/operator/staff')

export function OperatorStaffPage() {
  const { cursor } = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  return (
    <Page
      title="Staff"
      intro="People who sign in as the operator with a company account. Groups at your identity provider decide their roles."
    >
      <StaffList
        session={session}
        cursor={cursor}
        onPage={(next) => void navigate({ search: present({ cursor: next }) })}
      />
    </Page>
  )
}
