// All deposits of the business.

import type { Query } from '@causeway/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { CsvExport } from '../../components/csv-export.tsx'
import { FilterBar, SearchField, SelectFilter } from '../../components/filters.tsx'
import { DayRangeFilter } from '../../components/lists/day-range-filter.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { buttonClasses } from '../../components/ui/button.tsx'
import { narrowedBy, present } from '../../search.ts'
import { currencyOptions } from '../../subjects/account.ts'
import { depositColumns, depositStatusOptions } from '../../subjects/deposit.tsx'
import { sourceCurrencies } from '../../subjects/filter-values.ts'
import { depositsCsv, depositsQuery } from './queries.ts'

const route = getRouteApi('/business/deposits')
const business = getRouteApi('/business')
type Search = ReturnType<typeof route.useSearch>

const dayMs = 86_400_000

/** The API takes times, both exclusive; the address has days, both inclusive. */
function queryOf({ from, to, ...filters }: Search): Query<'listDeposits'> {
  return present({
    ...filters,
    createdAfter: from && new Date(Date.parse(`${from}T00:00:00Z`) - 1).toISOString(),
    createdBefore: to && new Date(Date.parse(`${to}T00:00:00Z`) + dayMs).toISOString(),
  })
}

export function DepositsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = business.useRouteContext()
  const params = queryOf(search)
  const deposits = useQuery({ ...depositsQuery(params), placeholderData: keepPreviousData })
  const { cursor, ...filters } = search
  const { cursor: _cursor, ...filterParams } = params
  const filter = (change: { [Name in keyof Search]?: Search[Name] | undefined }) =>
    void navigate({ search: narrowedBy(change) })
  const isFiltered = Object.keys(present(filters)).length > 0
  return (
    <Page
      title="Deposits"
      intro="Payments into your accounts, with their status and payout."
      actions={
        <>
          <Link to="/deposits/report" className={buttonClasses()}>
            Reconciliation report
          </Link>
          <CsvExport fileName="deposits.csv" read={(signal) => depositsCsv(filterParams, signal)} />
        </>
      }
    >
      <ListCard
        query={deposits}
        cursor={cursor}
        onPage={(next) => filter({ cursor: next })}
        filters={
          <>
            <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
              <SearchField
                label="Search deposits"
                placeholder="ID, reference or hash"
                value={search.q ?? ''}
                onSearch={(q) => filter({ q: q === '' ? undefined : q })}
              />
              <SelectFilter
                label="Status"
                all="All statuses"
                value={search.status}
                options={depositStatusOptions}
                onSelect={(status) => filter({ status: depositStatusOptions.find(([known]) => known === status)?.[0] })}
              />
              <SelectFilter
                label="Currency"
                all="All currencies"
                value={search.sourceCurrency}
                options={currencyOptions}
                onSelect={(currency) =>
                  filter({ sourceCurrency: sourceCurrencies.find((known) => known === currency) })
                }
              />
              <DayRangeFilter from={search.from} to={search.to} onChange={filter} />
            </FilterBar>
            <Narrowed search={search} />
          </>
        }
        caption="Deposits, newest first"
        columns={depositColumns}
        idOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/deposits/$depositId', params: { depositId: id } })}
        empty={
          isFiltered || cursor !== undefined ? (
            <NoneFound hasMore={deposits.data?.nextCursor != null} />
          ) : (
            <NoneYet isSandbox={session.mode === 'sandbox'} />
          )
        }
      />
    </Page>
  )
}

/** Filters from a link that have no control in the filter bar. */
function Narrowed({ search: { virtualAccountId, externalUserId } }: { search: Search }) {
  if (virtualAccountId === undefined && externalUserId === undefined) return null
  return (
    <p className="flex flex-wrap gap-x-4 border-line border-b bg-sunken px-4 py-2 text-soft">
      {virtualAccountId !== undefined && (
        <span>
          Only of the account{' '}
          <Link to="/accounts/$accountId" params={{ accountId: virtualAccountId }} className="text-ink underline">
            {virtualAccountId}
          </Link>
        </span>
      )}
      {externalUserId !== undefined && (
        <span>
          Only of <span className="text-ink">{externalUserId}</span>
        </span>
      )}
    </p>
  )
}

const NoneFound = ({ hasMore }: { hasMore: boolean }) => (
  <Empty title="No matching deposits">
    {hasMore ? (
      'The next page may have matches.'
    ) : (
      <>Search by full ID, bank reference (trace number, IMAD, UETR …) or transaction hash.</>
    )}
  </Empty>
)

const NoneYet = ({ isSandbox }: { isSandbox: boolean }) => (
  <Empty title="No deposits yet" {...(isSandbox && { command: 'causeway trigger deposit.completed' })}>
    {isSandbox
      ? 'Open an account, then simulate a deposit on the sandbox page. Or run:'
      : 'Open an account and give its bank details to the payer. A deposit appears here as soon as the provider reports it.'}
  </Empty>
)
