// One account: how to pay in, where the money goes, what came in, what happened.

import type { VirtualAccount } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { DetailsCard } from '../../components/details.tsx'
import { Confirm } from '../../components/dialogs/confirm.tsx'
import { Page } from '../../components/page.tsx'
import { Failure, Skeleton, Stale } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { may, type Session } from '../../session/session.ts'
import { accountStates, failureWords, suspensions } from '../../subjects/account.ts'
import { EndUserName } from '../../subjects/end-user.tsx'
import { SendTestDeposit } from '../../subjects/sandbox/test-deposit.tsx'
import { AccountDeposits, AccountTimeline } from './activity.tsx'
import { ChangeDestination } from './change-destination.tsx'
import { DestinationCard, WaitingChange } from './destination.tsx'
import { FormerInstructions } from './former-instructions.tsx'
import { Instructions } from './instructions.tsx'
import { LabelsCard } from './labels.tsx'
import { accountQuery, deactivateAccount, reactivateAccount } from './queries.ts'

const route = getRouteApi('/business/accounts/$accountId')
const business = getRouteApi('/business')

export function AccountPage() {
  const { accountId } = route.useParams()
  const { session } = business.useRouteContext()
  const { data: account, error, refetch, dataUpdatedAt } = useQuery(accountQuery(accountId))
  if (account === undefined)
    return (
      <Page title="Account" above={<Up />}>
        {error === null ? <Skeleton lines={8} /> : <Failure error={error} onRetry={() => void refetch()} />}
      </Page>
    )
  const { tone, words } = accountStates[account.status]
  const title = `${account.sourceCurrency.toUpperCase()} account of ${account.externalUserId}`
  return (
    <Page
      title={title}
      above={<Up />}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {title}{' '}
          <Badge tone={tone} className="print:hidden">
            {words}
          </Badge>
        </span>
      }
      intro={
        account.status !== 'active' &&
        account.status !== 'suspended' && <span className="print:hidden">{accountStates[account.status].means}</span>
      }
      actions={
        may(session, 'virtual_accounts:write') && (
          <>
            {session.mode === 'sandbox' && account.status === 'active' && <SendTestDeposit account={account} />}
            <Actions account={account} />
          </>
        )
      }
    >
      <Stale error={error} atMs={dataUpdatedAt} onRetry={() => void refetch()} />
      {account.failureCode !== undefined && (
        <p className="rounded-lg border border-bad/40 bg-bad-soft p-4">{failureWords(account.failureCode)}</p>
      )}
      {account.status === 'suspended' && <Suspension account={account} mayReadUsers={may(session, 'end_users:read')} />}
      <WaitingChange account={account} mayChange={may(session, 'virtual_accounts:write')} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr] print:block">
        <Instructions account={account} />
        <div className="grid min-w-0 gap-5 lg:col-start-2 lg:row-span-2 lg:row-start-1 print:hidden">
          <DestinationCard account={account} />
          <AccountDetails account={account} session={session} />
          <LabelsCard account={account} mayChange={may(session, 'virtual_accounts:write')} />
        </div>
        <div className="grid min-w-0 gap-5 print:hidden">
          <FormerInstructions id={account.id} />
          <AccountDeposits id={account.id} />
          {may(session, 'events:read') && <AccountTimeline id={account.id} />}
        </div>
      </div>
    </Page>
  )
}

const Up = () => (
  <Link to="/accounts" className="hover:text-ink hover:underline print:hidden">
    Accounts
  </Link>
)

function AccountDetails({ account, session }: { account: VirtualAccount; session: Session }) {
  const { id, externalUserId, sourceCurrency, developerFeePercent, feeConfig, createdAt, updatedAt } = account
  const { tone, words } = accountStates[account.status]
  return (
    <DetailsCard
      status={{ Status: <Badge tone={tone}>{words}</Badge> }}
      what={{
        'Deposit currency': sourceCurrency.toUpperCase(),
        'Your fee': feeConfig === undefined ? `${developerFeePercent}%` : 'By rail',
      }}
      who={{
        'End-user': <EndUserName externalUserId={externalUserId} isLink={may(session, 'end_users:read')} />,
      }}
      when={{ Created: <Time at={createdAt} />, Updated: <Time at={updatedAt} /> }}
      ids={{ 'Account ID': id }}
    />
  )
}

/** Why the account takes no deposits, and what to do: nothing below repeats it. */
function Suspension({ account, mayReadUsers }: { account: VirtualAccount; mayReadUsers: boolean }) {
  const { externalUserId, suspendedReason } = account
  return (
    <section
      aria-label="Suspension"
      className="grid gap-1 rounded-lg border border-warn/40 bg-warn-soft p-4 print:hidden"
    >
      {suspendedReason !== undefined && <p className="font-semibold">{suspensions[suspendedReason]}</p>}
      <p>
        {accountStates.suspended.means} Ask payers to wait: deposits that arrive now may be held or refunded.
        {mayReadUsers && (
          <>
            {' '}
            <Link to="/end-users/$externalUserId" params={{ externalUserId }} className="text-accent underline">
              View the end-user’s next action
            </Link>
          </>
        )}
      </p>
    </section>
  )
}

function Actions({ account }: { account: VirtualAccount }) {
  const { id, status } = account
  if (status === 'pending' || status === 'failed') return null
  return (
    <span className="contents print:hidden">
      {status !== 'suspended' && <ChangeDestination account={account} />}
      {status !== 'deactivated' ? (
        <Confirm
          trigger={<Button variant="danger">Deactivate</Button>}
          title="Deactivate account?"
          action="Deactivate account"
          isDangerous
          onConfirm={async () => {
            await deactivateAccount(id)
            toast.success('Account deactivated.')
          }}
        >
          The provider refunds new deposits to this account. Deposits that have already arrived are still paid out. You
          can reactivate the account later.
        </Confirm>
      ) : (
        <Confirm
          trigger={<Button variant="primary">Reactivate</Button>}
          title="Reactivate account?"
          action="Reactivate account"
          onConfirm={async () => {
            await reactivateAccount(id)
            toast.success('Account reactivated.')
          }}
        >
          The provider accepts deposits again, with the same bank details, and pays them out to the destination on this
          page.
        </Confirm>
      )}
    </span>
  )
}
