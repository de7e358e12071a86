// All end-users of the business, found by name, state, type or label.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { DataTable, Pager } from '../../components/data-table.tsx'
import { FilterBar, SearchField, SelectFilter } from '../../components/filters.tsx'
import { NewsBar } from '../../components/lists/news-bar.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Stale } from '../../components/states.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Input } from '../../components/ui/form.tsx'
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
  const { data, error, refetch, dataUpdatedAt, isPlaceholderData } = useQuery(endUsersQuery(listQueryOf(search)))
  const { cursor, ...filters } = search
  const filter = (change: { [Name in keyof ListSearch]: ListSearch[Name] | undefined }) => {
    const kept = Object.entries({ ...filters, ...change }).filter(([, value]) => value !== undefined)
    void navigate({ search: Object.fromEntries(kept), replace: true })
  }
  const { shown, heldCount, letIn } = useHeldRows(isPlaceholderData ? undefined : data?.rows, JSON.stringify(search))
  const isFiltered = Object.keys(filters).length > 0
  const create = may(session, 'end_users:write') ? <CreateEndUser /> : null
  return (
    <Page
      title="End-users"
      intro="The people and companies that you serve, and where each one stands."
      actions={create}
    >
      {data !== undefined && <Stale error={error} atMs={dataUpdatedAt} onRetry={() => void refetch()} />}
      <Card flush>
        <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
          <SearchField
            label="Search end-users by id or e-mail"
            placeholder="Id or e-mail begins with…"
            value={search.q ?? ''}
            onSearch={(q) => filter({ q: q === '' ? undefined : q })}
          />
          <SelectFilter
            label="KYC state"
            all="All KYC states"
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
        {error !== null && data === undefined ? (
          <Failure error={error} onRetry={() => void refetch()} className="m-4" />
        ) : (
          <div className={isPlaceholderData ? 'opacity-60' : ''}>
            {cursor === undefined && <NewsBar count={heldCount} noun="end-user" onShow={letIn} />}
            <DataTable
              caption="End-users"
              columns={endUserColumns}
              rows={shown ?? data?.rows}
              idOf={({ id }) => id}
              linkOf={({ externalUserId }) => ({ to: '/end-users/$externalUserId', params: { externalUserId } })}
              empty={
                isFiltered || cursor !== undefined ? (
                  <Empty title="No end-user fits">
                    {data?.nextCursor == null
                      ? 'Nobody has all of what the filters ask for. Clear one of them.'
                      : 'Nobody on this page fits. Look through the next one.'}
                  </Empty>
                ) : (
                  <Empty
                    title="No end-users yet"
                    action={create}
                    command="causeway end-users create --set externalUserId=ada"
                  >
                    Onboarding begins here: create an end-user under your own id, and the console tells what comes next.
                  </Empty>
                )
              }
            />
          </div>
        )}
        <Pager
          cursor={cursor}
          nextCursor={data?.nextCursor}
          onPage={(next) => void navigate({ search: next === undefined ? filters : { ...filters, cursor: next } })}
        />
      </Card>
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
        aria-label="Label, written key=value"
        placeholder="Label: plan=gold"
        aria-invalid={isFaulty}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={submit}
      />
    </form>
  )
}
