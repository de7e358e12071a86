// One end-user: what comes next, what is open, what happened. Never identity data: there is none.

import { ApiError, type EndUser } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { FlaskConical, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { DetailsCard } from '../../../components/details.tsx'
import { Confirm } from '../../../components/dialogs/confirm.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty, Failure, Skeleton, Stale } from '../../../components/states.tsx'
import { Time } from '../../../components/time.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { PlaceLink } from '../../../components/ui/place-link.tsx'
import { may } from '../../../session/session.ts'
import { endUserTypeWords, KycBadge, TermsBadge } from '../../../subjects/end-user.tsx'
import { InformationRequestsCard } from '../../../subjects/information-requests.tsx'
import { deleteEndUser, endUserQuery } from '../queries.ts'
import { EditEndUser } from './edit-dialog.tsx'
import { NextStepCard } from './next-step.tsx'
import { OnboardingCard } from './onboarding/links-card.tsx'
import { MakeOnboardingLink } from './onboarding/make-link.tsx'
import { RailsCard } from './rails-card.tsx'
import { AccountsCard, DepositsCard } from './related-cards.tsx'
import { RequirementsCard } from './requirements-card.tsx'
import { StoryCard } from './story-card.tsx'

const route = getRouteApi('/business/end-users/$externalUserId')
const frame = getRouteApi('/business')
const root = getRouteApi('__root__')

const above = (
  <Link to="/end-users" className="hover:underline">
    End-users
  </Link>
)

export function EndUserPage() {
  const { externalUserId } = route.useParams()
  const { session } = frame.useRouteContext()
  const { data: user, error, refetch, dataUpdatedAt } = useQuery(endUserQuery(externalUserId))
  const [isMakingLink, setMakingLink] = useState(false)
  if (error instanceof ApiError && error.status === 404) return <AbsentPage externalUserId={externalUserId} />
  if (user === undefined)
    return (
      <Page title={externalUserId} above={above}>
        {error === null ? <Skeleton lines={8} /> : <Failure error={error} onRetry={() => void refetch()} />}
      </Page>
    )
  const mayWrite = may(session, 'end_users:write')
  const mayOpen = may(session, 'virtual_accounts:write') && user.kycStatus === 'approved'
  const onMakeLink = mayWrite ? () => setMakingLink(true) : null
  const seesMoney = may(session, 'virtual_accounts:read')
  return (
    <Page
      title={externalUserId}
      heading={<span className="break-all">{externalUserId}</span>}
      above={above}
      intro={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <span className="inline-flex items-center gap-1.5">
            KYC <KycBadge status={user.kycStatus} />
          </span>
          <span className="inline-flex items-center gap-1.5">
            Terms <TermsBadge status={user.tosStatus} />
          </span>
          <span>{endUserTypeWords[user.type]}</span>
        </span>
      }
      actions={mayWrite && <Actions user={user} />}
    >
      <Stale error={error} atMs={dataUpdatedAt} onRetry={() => void refetch()} />
      <NextStepCard user={user} onMakeLink={onMakeLink} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20.5rem]">
        <div className="grid min-w-0 gap-5">
          <InformationRequestsCard requests={user.informationRequests} />
          <RequirementsCard user={user} />
          <OnboardingCard externalUserId={externalUserId} onMakeLink={onMakeLink} />
          {seesMoney && <AccountsCard externalUserId={externalUserId} mayOpen={mayOpen} />}
          {seesMoney && <DepositsCard externalUserId={externalUserId} />}
          {may(session, 'events:read') && <StoryCard externalUserId={externalUserId} />}
        </div>
        <div className="grid min-w-0 gap-5">
          <RailsCard user={user} />
          <EndUserDetails user={user} />
        </div>
      </div>
      {/* Beside what opens it: the next action may change while the link is shown. */}
      {isMakingLink && <MakeOnboardingLink user={user} onClose={() => setMakingLink(false)} />}
    </Page>
  )
}

/** A deleted end-user reads as absent, too. */
function AbsentPage({ externalUserId }: { externalUserId: string }) {
  return (
    <Page title={externalUserId} heading={<span className="break-all">{externalUserId}</span>} above={above}>
      <Card>
        <Empty
          title="End-user not found"
          action={
            <Link to="/end-users" search={{ q: externalUserId }} className="text-accent underline">
              Search similar IDs
            </Link>
          }
        >
          Check the ID. A deleted end-user is not found either.
        </Empty>
      </Card>
    </Page>
  )
}

function Actions({ user }: { user: EndUser }) {
  const { isSandbox } = root.useLoaderData()
  const navigate = useNavigate()
  const { externalUserId } = user
  const remove = async () => {
    await deleteEndUser(externalUserId)
    toast.success('End-user deleted.')
    await navigate({ to: '/end-users' })
  }
  return (
    <>
      {isSandbox && (
        <Button asChild>
          <PlaceLink to="/sandbox" search={{ externalUserId }} className="">
            <FlaskConical /> Simulate
          </PlaceLink>
        </Button>
      )}
      <EditEndUser user={user} />
      <Confirm
        title={`Delete ${externalUserId}?`}
        action="Delete end-user"
        isDangerous
        onConfirm={remove}
        trigger={
          <Button variant="danger">
            <Trash2 /> Delete
          </Button>
        }
      >
        This deletes the record, its links, accounts, deposits and the content of its events. You cannot undo this.
        Deletion is refused while an account is active or suspended, or a deposit is in progress. The provider keeps its
        own data.
      </Confirm>
    </>
  )
}

function EndUserDetails({ user }: { user: EndUser }) {
  const { type, email, metadata, providerStatus, providerCustomerId, id, createdAt, updatedAt } = user
  return (
    <DetailsCard
      status={{
        KYC: <KycBadge status={user.kycStatus} />,
        Terms: <TermsBadge status={user.tosStatus} />,
        'Provider status': providerStatus && <code className="font-mono text-xs">{providerStatus}</code>,
      }}
      what={{ Type: endUserTypeWords[type], Metadata: <Labels metadata={metadata} /> }}
      who={{ Email: email ?? <span className="text-soft">none</span> }}
      when={{ Created: <Time at={createdAt} />, Updated: <Time at={updatedAt} /> }}
      ids={{ 'End-user ID': id, 'Provider customer ID': providerCustomerId }}
    />
  )
}

function Labels({ metadata }: Pick<EndUser, 'metadata'>) {
  const labels = Object.entries(metadata)
  if (labels.length === 0) return <span className="text-soft">none</span>
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] gap-0.5">
      {labels.map(([key, value]) => (
        <li key={key} className="break-all font-mono text-xs">
          {key}={value}
        </li>
      ))}
    </ul>
  )
}
