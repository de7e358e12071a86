// The next action of an end-user, and the links for it.

import type { EndUser } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Clock, type LucideIcon, TriangleAlert } from 'lucide-react'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { Time, TimeAgo } from '../../../components/time.tsx'
import type { Tone } from '../../../components/ui/badge.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog } from '../../../components/ui/dialog.tsx'
import { isOwnStep, nextStepOf } from '../../../subjects/next-action.ts'
import { kycLinksQuery, termsLinkQuery } from '../queries.ts'
import { LinkText } from './link-text.tsx'

const looks: Readonly<Record<Tone, readonly [LucideIcon, string, string]>> = {
  good: [CircleCheck, 'border-good/30 bg-good-soft', 'text-good'],
  busy: [Clock, 'border-busy/30 bg-busy-soft', 'text-busy'],
  warn: [TriangleAlert, 'border-warn/30 bg-warn-soft', 'text-warn'],
  bad: [CircleAlert, 'border-bad/30 bg-bad-soft', 'text-bad'],
  idle: [Clock, 'border-line bg-sunken', 'text-soft'],
  off: [Clock, 'border-line bg-sunken', 'text-soft'],
}

/** @param onMakeLink begins an onboarding link; null where the session may not make links */
export function NextStepCard({ user, onMakeLink }: { user: EndUser; onMakeLink: (() => void) | null }) {
  const { tone, title, advice } = nextStepOf(user)
  const [Icon, frame, ink] = looks[tone]
  const { kind, expectedBy, fields } = user.nextAction
  const takesLink = isOwnStep(user) && !isOver(user)
  const takesTerms = onMakeLink !== null && user.tosStatus !== 'approved' && !isOver(user)
  const takesKyc = kind === 'submit_kyc' || kind === 'resubmit_kyc' || kind === 'open_link'
  return (
    <section
      aria-label="Next action"
      className={`flex flex-wrap items-start gap-x-4 gap-y-3 rounded-lg border p-4 ${frame}`}
    >
      <Icon aria-hidden="true" className={`mt-0.5 size-5 shrink-0 ${ink}`} />
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        <h2 className="font-semibold">{title}</h2>
        <p>{advice}</p>
        {expectedBy !== undefined && (
          <p className="text-soft">
            The provider usually decides by <Time at={expectedBy} /> (<TimeAgo at={expectedBy} />
            ).
          </p>
        )}
        {fields !== undefined && fields.length > 0 && (
          <p className="text-soft">
            Fields to submit:{' '}
            {fields.map((field, at) => (
              <span key={field}>
                {at > 0 && ', '}
                <code className="break-all font-mono text-xs">{field}</code>
              </span>
            ))}
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        {takesLink && onMakeLink !== null && (
          <Button variant="primary" onClick={onMakeLink}>
            Create onboarding link
          </Button>
        )}
        {takesTerms && <TermsLink externalUserId={user.externalUserId} />}
        {takesKyc && <KycPageLink externalUserId={user.externalUserId} isFirst={onMakeLink === null} />}
      </div>
    </section>
  )
}

const isOver = ({ kycStatus }: EndUser): boolean => kycStatus === 'offboarded'

function TermsLink({ externalUserId }: { externalUserId: string }) {
  return (
    <Dialog
      title="Terms link"
      description="The person who opens the link accepts the Terms of Service for this end-user. Send it only to them."
      trigger={<Button>Terms link</Button>}
    >
      <TermsLinkText externalUserId={externalUserId} />
    </Dialog>
  )
}

function TermsLinkText({ externalUserId }: { externalUserId: string }) {
  const { data, error, refetch } = useQuery(termsLinkQuery(externalUserId))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={2} />
  return <LinkText name="the Terms link" link={data} />
}

function KycPageLink({ externalUserId, isFirst }: { externalUserId: string; isFirst: boolean }) {
  return (
    <Dialog
      title="KYC page"
      description="The provider’s own page, where the end-user submits identity data. Identity data never passes through the console."
      trigger={<Button variant={isFirst ? 'primary' : 'outline'}>KYC page</Button>}
    >
      <KycPage externalUserId={externalUserId} />
    </Dialog>
  )
}

function KycPage({ externalUserId }: { externalUserId: string }) {
  const { data, error, refetch } = useQuery(kycLinksQuery(externalUserId))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={2} />
  if (data.kycLink !== null) return <LinkText name="the KYC link" link={data.kycLink} />
  return (
    <p className="text-soft">
      The provider has no KYC page for this end-user yet. If the email is missing, add it with “Edit”, then try again.
    </p>
  )
}
