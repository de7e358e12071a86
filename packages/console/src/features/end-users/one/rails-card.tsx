// In which currencies an end-user may have accounts, and what opens another one.

import type { EndUser, FiatCurrency } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { Dialog } from '../../../components/ui/dialog.tsx'
import { currencies, RailBadge } from '../../../subjects/end-user.tsx'
import { nextStepOf } from '../../../subjects/next-action.ts'
import { kycLinksQuery } from '../queries.ts'
import { LinkText } from './link-text.tsx'

export function RailsCard({ user: { rails, kycStatus, externalUserId } }: { user: EndUser }) {
  const asked = currencies.filter((currency) => rails[currency] !== 'inactive')
  const others = currencies.filter((currency) => rails[currency] === 'inactive')
  const isApproved = kycStatus === 'approved'
  return (
    <Card title="Currencies">
      <ul className="grid gap-2">
        {asked.map((currency) => (
          <li key={currency} className="flex min-h-7 items-center justify-between gap-3">
            <span className="font-medium uppercase">{currency}</span>
            <span className="flex items-center gap-2">
              {isApproved && rails[currency] === 'action_required' && (
                <WayTo currency={currency} externalUserId={externalUserId} words="View requirements" />
              )}
              <RailBadge status={rails[currency]} />
            </span>
          </li>
        ))}
        {others.length > 0 && (
          <li className="flex flex-wrap items-center gap-x-2 gap-y-1 text-soft">
            <span>{asked.length > 0 ? 'Not requested:' : 'No active currency yet:'}</span>
            {others.map((currency) =>
              isApproved ? (
                <WayTo
                  key={currency}
                  currency={currency}
                  externalUserId={externalUserId}
                  words={currency.toUpperCase()}
                />
              ) : (
                <span key={currency} className="uppercase">
                  {currency}
                </span>
              ),
            )}
          </li>
        )}
      </ul>
    </Card>
  )
}

type WayProps = { currency: FiatCurrency; externalUserId: string; words: string }

function WayTo({ currency, externalUserId, words }: WayProps) {
  const name = currency.toUpperCase()
  return (
    <Dialog
      title={`Requirements for ${name}`}
      description={`What the provider requires before you can open ${name} accounts.`}
      trigger={
        <Button size="sm" aria-label={`View requirements for ${name}`}>
          {words}
        </Button>
      }
    >
      <Way currency={currency} externalUserId={externalUserId} />
    </Dialog>
  )
}

function Way({ currency, externalUserId }: Omit<WayProps, 'words'>) {
  const { data, error, refetch } = useQuery(kycLinksQuery(externalUserId, currency))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={3} />
  const { title, advice } = nextStepOf(data)
  return (
    <div className="grid gap-3">
      <div className="grid gap-1">
        <p className="font-medium">{title}</p>
        <p className="text-soft">{advice}</p>
      </div>
      {data.kycLink !== null && <LinkText name="the KYC link" link={data.kycLink} />}
    </div>
  )
}
