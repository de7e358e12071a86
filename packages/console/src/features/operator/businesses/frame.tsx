// The pages of one business: its name, and the way between them.

import type { Customer } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../../components/page.tsx'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { businessQuery } from '../queries.ts'
import { BusinessBadge } from '../words.tsx'

type Props = {
  customerId: string
  /** Title of the document, before the name of the business. */
  title?: string
  actions?: ReactNode | ((business: Customer) => ReactNode)
  children: (business: Customer) => ReactNode
}

export function BusinessFrame({ customerId, title, actions, children }: Props) {
  const { data: business, error, refetch } = useQuery(businessQuery(customerId))
  const name = business?.name ?? 'Business'
  return (
    <Page
      title={title === undefined ? name : `${title} · ${name}`}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {name} {business !== undefined && <BusinessBadge status={business.status} />}
        </span>
      }
      above={<BusinessesLink />}
      actions={business !== undefined && (typeof actions === 'function' ? actions(business) : actions)}
    >
      {error !== null && business === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {business === undefined && error === null && <Skeleton lines={6} />}
      {business !== undefined && (
        <>
          <Tabs customerId={customerId} />
          {children(business)}
        </>
      )}
    </Page>
  )
}

export const BusinessesLink = () => (
  <Link to="/operator/businesses" className="hover:underline">
    Businesses
  </Link>
)

const tabs = [
  ['/operator/businesses/$customerId', 'Details'],
  ['/operator/businesses/$customerId/requests', 'Requests'],
  ['/operator/businesses/$customerId/audit', 'Audit log'],
  ['/operator/businesses/$customerId/sign-in', 'Staff sign-in'],
] as const

function Tabs({ customerId }: { customerId: string }) {
  return (
    <nav aria-label="Pages of this business" className="-mt-1 flex gap-5 border-line border-b print:hidden">
      {tabs.map(([to, label]) => (
        <Link
          key={to}
          to={to}
          params={{ customerId }}
          activeOptions={{ exact: true, includeSearch: false }}
          className="-mb-px border-transparent border-b-2 py-2 text-soft hover:text-ink"
          activeProps={{ className: 'border-accent! font-medium text-ink!' }}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
