// All end-users of the business, found by name, state, type or label.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { FilterBar, SearchField, SelectFilter } from '../../components/filters.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { NewsBar } from '../../components/lists/news-bar.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { Input } from '../../components/ui/form.tsx'
import { narrowedBy, present } from '../../search.ts'
import { may } from '../../session/session.ts'
import { endUserTypeWords, kycChoices } from '../../subjects/end-user.tsx'
import { endUserColumns } from './columns.tsx'
import { CreateEndUser } from './create-dialog.tsx'
import { useHeldRows } from './held-rows.ts'
import { endUsersQuery } from './queries.ts'
import { isStatus, isType, type ListSearch, labelOf, listQueryOf } from './search.ts'

const route = getRouteApi('/business/end-users')
const frame = getRouteApi('/business')

export function EndUsersPage() {
  const search = route.useSearch()
  const { session } = frame.useRouteContext()
  const navigate = route.useNavigate()
  const users = useQuery(endUsersQuery(listQueryOf(search)))
  const { cursor, ...filters } = search
  const filter = (change: { [Name in keyof ListSearch]: ListSearch[Name] | undefined }) => {
    void navigate({ search: narrowedBy(change), replace: true })
  }
  const { shown, heldCount, letIn } = useHeldRows(
    users.isPlaceholderData ? undefined : users.data?.data,
    JSON.stringify(search),
  )
  const isFiltered = Object.keys(filters).length > 0
  const mayCreate = may(session, 'end_users:write')
  return (
    <Page
      title="End-users"
      intro="The people and companies you serve, and their KYC status."
      actions={mayCreate && <CreateEndUser openedBy="create" />}
    >
      <ListCard
        query={users}
        rows={shown}
        cursor={cursor}
        onPage={(next) => void navigate({ search: present({ ...filters, cursor: next }) })}
        filters={
          <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
            <SearchField
              label="Search end-users by ID or email"
              placeholder="ID or email starts with…"
              value={search.q ?? ''}
              onSearch={(q) => filter({ q: q === '' ? undefined : q })}
            />
            <SelectFilter
              label="KYC status"
              all="All statuses"
              value={search.status}
              options={kycChoices}
              onSelect={(status) => filter({ status: isStatus(status) ? status : undefined })}
            />
            <SelectFilter
              label="Type"
              all="All types"
              value={search.type}
              options={Object.entries(endUserTypeWords)}
              onSelect={(type) => filter({ type: isType(type) ? type : undefined })}
            />
            <LabelFilter key={search.label ?? ''} value={search.label} onLabel={(label) => filter({ label })} />
          </FilterBar>
        }
        news={cursor === undefined && <NewsBar count={heldCount} noun="end-user" onShow={letIn} />}
        caption="End-users"
        columns={endUserColumns}
        idOf={({ id }) => id}
        linkOf={({ externalUserId }) => ({ to: '/end-users/$externalUserId', params: { externalUserId } })}
        empty={
          isFiltered || cursor !== undefined ? (
            <Empty title="No matching end-users">
              {users.data?.nextCursor == null
                ? 'Clear a filter or change the search.'
                : 'The next page may have matches.'}
            </Empty>
          ) : (
            <Empty
              title="No end-users yet"
              action={mayCreate && <CreateEndUser />}
              command="causeway end-users create --set externalUserId=ada"
            >
              Create an end-user with your own ID. The console then shows the next step.
            </Empty>
          )
        }
      />
    </Page>
  )
}

/** One label as `key=value`, asked for with the return key. */
function LabelFilter({ value, onLabel }: { value: string | undefined; onLabel: (label: string | undefined) => void }) {
  const [text, setText] = useState(value ?? '')
  const isFaulty = text !== '' && labelOf(text) === null
  const submit = () => {
    if (!isFaulty && text !== (value ?? '')) onLabel(text === '' ? undefined : text)
  }
  return (
    <form
      className="w-full sm:w-44"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Input
        aria-label="Metadata, as key=value"
        placeholder="key=value"
        aria-invalid={isFaulty}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={submit}
      />
    </form>
  )
}
