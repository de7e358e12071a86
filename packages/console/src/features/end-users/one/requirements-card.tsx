// Open KYC requirements, and errors in submitted data.

import type { EndUser, Requirements } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { Badge } from '../../../components/ui/badge.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { plainName } from '../../../subjects/next-action.ts'
import { kycLinksQuery } from '../queries.ts'

type Lists = Pick<Requirements, 'currentlyDue' | 'pendingReview' | 'errors'>

const isEmpty = ({ currentlyDue, pendingReview, errors }: Lists): boolean =>
  currentlyDue.length + pendingReview.length + errors.length === 0

export function RequirementsCard({ user }: { user: EndUser }) {
  const { requirements, kycStatus } = user
  const people = requirements.associatedPersons.filter((lists) => !isEmpty(lists))
  const future = requirements.future.filter((lists) => !isEmpty(lists))
  const isRejected = kycStatus === 'rejected'
  if (isEmpty(requirements) && people.length + future.length === 0 && !isRejected) return null
  return (
    <Card title="Requirements">
      <div className="grid gap-5">
        {isRejected && <RejectionReasons externalUserId={user.externalUserId} />}
        <ListsOf lists={requirements} />
        {people.map((person) => (
          <Part
            key={person.id}
            title={
              <>
                Associated person <code className="font-mono text-xs">{person.id}</code>
              </>
            }
          >
            <ListsOf lists={person} />
          </Part>
        ))}
        {future.map((lists) => (
          <Part
            key={lists.effectiveDate}
            title={lists.effectiveDate ? `Future requirements, from ${lists.effectiveDate}` : 'Future requirements'}
          >
            <ListsOf lists={lists} />
          </Part>
        ))}
      </div>
    </Card>
  )
}

function Part({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <div className="grid gap-2">
      <h3 className="font-medium text-soft">{title}</h3>
      {children}
    </div>
  )
}

/** The provider's reasons are read when they are looked at: the record holds none. */
function RejectionReasons({ externalUserId }: { externalUserId: string }) {
  const { data, error, refetch } = useQuery(kycLinksQuery(externalUserId))
  if (data === undefined)
    return (
      <Part title="Rejection reasons">
        {error === null ? <Skeleton lines={2} /> : <Failure error={error} onRetry={() => void refetch()} />}
      </Part>
    )
  if (data.rejectionReasons.length === 0) return null
  return (
    <Part title="Rejection reasons">
      <ul className="list-inside list-disc">
        {data.rejectionReasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </Part>
  )
}

function ListsOf({ lists: { currentlyDue, pendingReview, errors } }: { lists: Lists }) {
  return (
    <ul className="grid gap-2">
      {errors.map(({ requirement, code, reason, resubmittable }) => (
        <Row key={`${requirement} ${code}`} name={requirement} badge={<Badge tone="bad">Needs correction</Badge>}>
          {reason}
          {!resubmittable && ' Resubmitting does not help.'}
        </Row>
      ))}
      {currentlyDue.map((name) => (
        <Row key={name} name={name} badge={<Badge tone="warn">Missing</Badge>} />
      ))}
      {pendingReview.map((name) => (
        <Row key={name} name={name} badge={<Badge tone="busy">Pending review</Badge>} />
      ))}
    </ul>
  )
}

function Row({ name, badge, children }: { name: string; badge: ReactNode; children?: ReactNode }) {
  return (
    <li className="grid gap-0.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span title={name}>{plainName(name)}</span>
        {badge}
      </div>
      {children !== undefined && <p className="text-soft">{children}</p>}
    </li>
  )
}
