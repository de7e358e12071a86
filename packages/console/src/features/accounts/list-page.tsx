// All accounts of the business.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FilterBar, SearchField, SelectFilter } from '../../components/filters.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { Checkbox } from '../../components/ui/form.tsx'
import { narrowedBy, present } from '../../search.ts'
import { may } from '../../session/session.ts'
import { currencyOptions, statusOptions } from '../../subjects/account.ts'
import { sourceCurrencies } from '../../subjects/filter-values.ts'
import { accountColumns } from './columns.tsx'
import { OpenAccount } from './open-account.tsx'
import { accountsQuery } from './queries.ts'

const route = getRouteApi('/business/accounts')
const business = getRouteApi('/business')
type Search = ReturnType<typeof route.useSearch>

export function AccountsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = business.useRouteContext()
  const { cursor, label, ...filters } = search
  const [key = '', ...value] = label?.split('=') ?? []
  const params = present({
    ...filters,
    cursor,
    metadata: label === undefined ? undefined : { [key]: value.join('=') },
  })
  const accounts = useQuery({ ...accountsQuery(params), placeholderData: keepPreviousData })
  const filter = (change: { [Name in keyof Search]?: Search[Name] | undefined }) =>
    void navigate({ search: narrowedBy(change) })
  const find = (text: string) => {
    if (/^va_\w+$/.test(text)) return void navigate({ to: '/accounts/$accountId', params: { accountId: text } })
    const isLabel = text.includes('=')
    filter({ externalUserId: isLabel || text === '' ? undefined : text, label: isLabel ? text : undefined })
  }
  const isFiltered = Object.keys(present({ ...filters, label })).length > 0
  const mayOpen = may(session, 'virtual_accounts:write')
  return (
    <Page
      title="Accounts"
      intro="Bank accounts whose deposits are converted and paid out to a wallet."
      actions={mayOpen && <OpenAccount externalUserId={search.externalUserId} />}
    >
      <ListCard
        query={accounts}
        cursor={cursor}
        onPage={(next) => filter({ cursor: next })}
        filters={
          <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
            <SearchField
              label="Search accounts"
              placeholder="End-user, key=value or ID"
              value={search.label ?? search.externalUserId ?? ''}
              onSearch={find}
            />
            <SelectFilter
              label="Status"
              all="All statuses"
              value={search.status}
              options={statusOptions}
              onSelect={(status) => filter({ status: statusOptions.find(([known]) => known === status)?.[0] })}
            />
            <SelectFilter
              label="Currency"
              all="All currencies"
              value={search.sourceCurrency}
              options={currencyOptions}
              onSelect={(currency) => filter({ sourceCurrency: sourceCurrencies.find((known) => known === currency) })}
            />
            <Checkbox
              label="Destination change pending"
              checked={search.destinationChange === 'waiting'}
              onChange={({ target }) => filter({ destinationChange: target.checked ? 'waiting' : undefined })}
            />
          </FilterBar>
        }
        caption="Accounts, newest first"
        columns={accountColumns}
        idOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/accounts/$accountId', params: { accountId: id } })}
        empty={
          isFiltered || cursor !== undefined ? (
            <NoneFound hasMore={accounts.data?.nextCursor != null} />
          ) : (
            <NoneYet isSandbox={session.mode === 'sandbox'} />
          )
        }
      />
    </Page>
  )
}

const NoneFound = ({ hasMore }: { hasMore: boolean }) => (
  <Empty title="No matching accounts">
    {hasMore ? (
      'The next page may have matches.'
    ) : (
      <>
        Search by full end-user ID, metadata such as <code>plan=gold</code>, or account ID.
      </>
    )}
  </Empty>
)

const NoneYet = ({ isSandbox }: { isSandbox: boolean }) => (
  <Empty
    title="No accounts yet"
    command={isSandbox ? 'causeway trigger deposit.completed' : 'causeway virtual-accounts create --data @account.json'}
  >
    An account gives an approved end-user bank details to receive deposits.{' '}
    {isSandbox
      ? 'Open an account here, or create an end-user, an account and a deposit with:'
      : 'Open an account here, or with the API:'}
  </Empty>
)
