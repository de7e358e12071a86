// The onboarding links of an end-user, without the links themselves.

import type { OnboardingLink, OnboardingLinkStatus } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type Column, DataTable } from '../../../../components/data-table.tsx'
import { Confirm } from '../../../../components/dialogs/confirm.tsx'
import { Failure } from '../../../../components/states.tsx'
import { TimeAgo } from '../../../../components/time.tsx'
import { Badge, type Tone } from '../../../../components/ui/badge.tsx'
import { Button } from '../../../../components/ui/button.tsx'
import { Card } from '../../../../components/ui/card.tsx'
import { PlaceLink } from '../../../../components/ui/place-link.tsx'
import { onboardingLinksQuery, revokeOnboardingLink } from '../../queries.ts'

type Props = {
  externalUserId: string
  /** Begins a link; null where the session may not make links. */
  onMakeLink: (() => void) | null
}

export function OnboardingCard({ externalUserId, onMakeLink }: Props) {
  const { data, error, refetch } = useQuery(onboardingLinksQuery(externalUserId))
  return (
    <Card
      flush
      title="Onboarding links"
      actions={
        onMakeLink && (
          <Button size="sm" onClick={onMakeLink}>
            <Plus /> Create link
          </Button>
        )
      }
    >
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} className="m-4" />
      ) : (
        <DataTable
          caption="Onboarding links of the end-user, the newest first"
          columns={onMakeLink ? [...columns, actions] : columns}
          rows={data?.rows}
          idOf={({ id }) => id}
          empty={
            <p className="px-4 py-5 text-soft">
              No links yet. The end-user onboards on a page in <PlaceLink to="/branding">your branding</PlaceLink>.
            </p>
          }
        />
      )}
      {data?.nextCursor != null && (
        <p className="border-line border-t px-4 py-2 text-soft text-xs">Latest {data.rows.length} links.</p>
      )}
    </Card>
  )
}

const states: Readonly<Record<OnboardingLinkStatus, readonly [tone: Tone, words: string]>> = {
  open: ['busy', 'Open'],
  completed: ['good', 'Completed'],
  abandoned: ['warn', 'Abandoned'],
  expired: ['off', 'Expired'],
  revoked: ['off', 'Revoked'],
}

function StateBadge({ status }: { status: string }) {
  const [tone, words] = Object.hasOwn(states, status)
    ? states[status as OnboardingLinkStatus]
    : (['idle', status] as const)
  return <Badge tone={tone}>{words}</Badge>
}

const columns: readonly Column<OnboardingLink>[] = [
  { id: 'state', header: 'Status', cell: ({ status }) => <StateBadge status={status} /> },
  { id: 'rails', header: 'Currencies', cell: ({ rails }) => rails.join(', ').toUpperCase() },
  { id: 'created', header: 'Created', cell: ({ createdAt }) => <TimeAgo at={createdAt} />, wideOnly: true },
  { id: 'opened', header: 'Opened', cell: ({ openedAt }) => <TimeAgo at={openedAt} /> },
  { id: 'expires', header: 'Expires', cell: (link) => <Expiry link={link} /> },
]

/** A revoked or completed link no longer expires. */
function Expiry({ link: { status, expiresAt } }: { link: OnboardingLink }) {
  return ['revoked', 'completed'].includes(status) ? <span className="text-soft">–</span> : <TimeAgo at={expiresAt} />
}

const actions: Column<OnboardingLink> = {
  id: 'actions',
  header: 'Actions',
  align: 'right',
  className: 'rows:w-px rows:whitespace-nowrap',
  cell: (link) => (link.status === 'open' ? <Revoke link={link} /> : <span className="text-soft">–</span>),
}

function Revoke({ link }: { link: OnboardingLink }) {
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger">
          Revoke
        </Button>
      }
      title="Revoke link?"
      action="Revoke link"
      isDangerous
      onConfirm={() => revokeOnboardingLink(link)}
    >
      The link stops working, and an open onboarding page closes. Data that was not submitted is lost.
    </Confirm>
  )
}
