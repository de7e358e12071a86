// One deposit: how far it got, its amounts, and what finds it at banks and on the blockchain.

import type { Deposit } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Copyable } from '../../components/copy-button.tsx'
import { DetailsCard } from '../../components/details.tsx'
import { groupDigits, Money } from '../../components/money.tsx'
import { Facts, Page } from '../../components/page.tsx'
import { Failure, Skeleton, Stale } from '../../components/states.tsx'
import { spanText, Time } from '../../components/time.tsx'
import { type Happening, Timeline } from '../../components/timeline.tsx'
import { Card } from '../../components/ui/card.tsx'
import { may, type Session } from '../../session/session.ts'
import { bankRailWords, DepositBadge, depositStates, wordsOfActivity } from '../../subjects/deposit.tsx'
import { EndUserName } from '../../subjects/end-user.tsx'
import { transactionUrl } from '../../subjects/explorers.ts'
import { InformationRequestsCard } from '../../subjects/information-requests.tsx'
import { AdvanceDeposit } from '../../subjects/sandbox/advance-deposit.tsx'
import { railWords, WalletAddress } from '../../subjects/wallet-address.tsx'
import { DepositEvents } from './deposit-events.tsx'
import { accountOfQuery, depositQuery } from './queries.ts'
import { Waterfall } from './waterfall.tsx'

const route = getRouteApi('/business/deposits/$depositId')
const business = getRouteApi('/business')

export function DepositPage() {
  const { depositId } = route.useParams()
  const { session } = business.useRouteContext()
  const { data: deposit, error, refetch, dataUpdatedAt } = useQuery(depositQuery(depositId))
  if (deposit === undefined)
    return (
      <Page title="Deposit" above={<Up />}>
        {error === null ? <Skeleton lines={8} /> : <Failure error={error} onRetry={() => void refetch()} />}
      </Page>
    )
  const title = titleOf(deposit)
  const isSandbox = session.mode === 'sandbox'
  return (
    <Page
      title={title}
      above={<Up />}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {title} <DepositBadge status={deposit.status} />
        </span>
      }
      intro={depositStates[deposit.status].means}
      actions={isSandbox && may(session, 'virtual_accounts:write') && <AdvanceDeposit deposit={deposit} />}
    >
      <Stale error={error} atMs={dataUpdatedAt} onRetry={() => void refetch()} />
      {(deposit.refund !== null || deposit.refundedAt !== null) && <Refund deposit={deposit} />}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
        <div className="grid min-w-0 gap-5">
          <InformationRequestsCard requests={deposit.informationRequests} />
          <Card flush title="Amounts">
            <Waterfall deposit={deposit} />
          </Card>
          <Card title="Activity">
            <Timeline happenings={happeningsOf(deposit)} />
          </Card>
          {may(session, 'events:read') && <DepositEvents deposit={deposit} />}
        </div>
        <div className="grid min-w-0 gap-5">
          <DepositDetails deposit={deposit} mayReadUsers={may(session, 'end_users:read')} />
          <Card title="Payout destination">
            <Facts facts={walletOf(deposit, session)} />
          </Card>
        </div>
      </div>
    </Page>
  )
}

const Up = () => (
  <Link to="/deposits" className="hover:text-ink hover:underline">
    Deposits
  </Link>
)

function titleOf({ grossAmount, sourceCurrency, senderName }: Deposit): string {
  const what =
    grossAmount === null
      ? `Deposit in ${sourceCurrency.toUpperCase()}`
      : `${groupDigits(grossAmount.value)} ${grossAmount.currency.toUpperCase()}`
  return senderName === null ? what : `${what} from ${senderName}`
}

function DepositDetails({ deposit, mayReadUsers }: { deposit: Deposit; mayReadUsers: boolean }) {
  const { externalUserId, virtualAccountId, paymentRail, createdAt, completedAt, chargeBearer, references } = deposit
  const began = deposit.timeline[0]?.occurredAt
  return (
    <DetailsCard
      status={{ Status: <DepositBadge status={deposit.status} /> }}
      what={{
        Received: deposit.grossAmount && <Money amount={deposit.grossAmount} />,
        'Paid out': deposit.netAmount && <Money amount={deposit.netAmount} />,
        'Bank rail': paymentRail && bankRailWords(paymentRail),
        'Bank charges': chargeBearer && (chargeWords[chargeBearer] ?? chargeBearer),
      }}
      who={{
        'End-user': <EndUserName externalUserId={externalUserId} isLink={mayReadUsers} />,
        Account: (
          <Link
            to="/accounts/$accountId"
            params={{ accountId: virtualAccountId }}
            className="break-all font-mono text-accent text-xs underline"
          >
            {virtualAccountId}
          </Link>
        ),
        Payer: deposit.senderName,
        'Payer’s BIC': deposit.senderBic,
        'Payer’s bank code': deposit.senderBankCode,
        'Recipient named by payer': deposit.recipientName,
      }}
      when={{
        Created: <Time at={createdAt} />,
        Completed: completedAt && (
          <>
            <Time at={completedAt} /> {began && <span className="text-soft">after {tookText(began, completedAt)}</span>}
          </>
        ),
      }}
      ids={{
        'Deposit ID': deposit.id,
        'Provider deposit ID': deposit.providerDepositId,
        'Trace number': references.traceNumber,
        'Tracking number': references.trackingNumber,
        IMAD: references.imad,
        OMAD: references.omad,
        'End-to-end ID': references.endToEndId,
        UETR: references.uetr,
      }}
    />
  )
}

const tookText = (from: string, to: string) => spanText(Date.parse(to) - Date.parse(from))

const chargeWords: Readonly<Record<string, string>> = {
  our: 'Paid by the payer',
  sha: 'Shared',
  ben: 'Paid by the recipient',
}

function walletOf(deposit: Deposit, session: Session): readonly (readonly [name: string, value: ReactNode])[] {
  const { destinationCurrency, destinationPaymentRail: rail, destinationTxHash: hash } = deposit
  const explorer = rail === null || hash === null ? undefined : transactionUrl(session.mode, rail, hash)
  const mayReadAccount = may(session, 'virtual_accounts:read')
  return [
    ['Coin', destinationCurrency.toUpperCase()],
    ['Blockchain', rail && railWords(rail)],
    ['Account’s wallet now', mayReadAccount && <AccountWallet key="wallet" deposit={deposit} />],
    [
      'Transaction',
      hash && (
        <span key="hash" className="grid gap-1">
          <Copyable text={hash} name="the transaction hash" />
          {explorer && (
            <a href={explorer} target="_blank" rel="noreferrer" className="text-accent underline">
              View in explorer
            </a>
          )}
          {!deposit.destinationTxFinal && <Note>The provider may still replace it.</Note>}
          {session.mode === 'sandbox' && <Note>Sandbox transaction: not on the blockchain.</Note>}
        </span>
      ),
    ],
  ]
}

/** The provider does not name the wallet of a payout. */
function AccountWallet({ deposit }: { deposit: Deposit }) {
  const { data: account } = useQuery(accountOfQuery(deposit))
  return account ? <WalletAddress address={account.destinationAddress} /> : null
}

const Note = ({ children }: { children: string }) => <span className="text-soft text-xs">{children}</span>

/** Newest first, each with the time since the step before. */
function happeningsOf({ timeline }: Deposit): readonly Happening[] {
  return timeline
    .map((activity, at) => {
      const before = timeline[at - 1]
      return {
        id: activity.activityId,
        at: activity.occurredAt,
        words: wordsOfActivity(activity),
        tone: depositStates[activity.status].tone,
        afterMs: before && Date.parse(activity.occurredAt) - Date.parse(before.occurredAt),
      }
    })
    .toReversed()
}

function Refund({ deposit: { refund, refundedAmount, refundedAt } }: { deposit: Deposit }) {
  const { code = null, reason = null } = refund ?? {}
  return (
    <section aria-label="Refund" className="rounded-lg border border-warn/40 bg-warn-soft p-4">
      <Facts
        facts={[
          ['Refund reason', reason ?? code?.replaceAll('_', ' ') ?? 'The provider gave no reason.'],
          ['Code', reason === null ? null : code],
          ['Amount', refundedAmount && <Money key="amount" amount={refundedAmount} />],
          ['Refunded at', refundedAt && <Time key="at" at={refundedAt} />],
        ]}
      />
    </section>
  )
}
