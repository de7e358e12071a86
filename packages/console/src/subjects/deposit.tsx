// The states of a deposit, in words, and deposits as rows: several subjects show deposits.

import type { Deposit, DepositActivity } from '@causeway/sdk'
import type { Column } from '../components/data-table.tsx'
import { Money } from '../components/money.tsx'
import { Clipped } from '../components/texts/clipped.tsx'
import { TimeAgo } from '../components/time.tsx'
import { Badge, type Tone } from '../components/ui/badge.tsx'
import { depositStatuses } from './filter-values.ts'

type Status = Deposit['status']
type Words = { tone: Tone; words: string; means: string }

export const depositStates: Readonly<Record<Status, Words>> = {
  scheduled: {
    tone: 'idle',
    words: 'Scheduled',
    means: 'The bank has announced the deposit. The funds have not arrived.',
  },
  received: { tone: 'busy', words: 'Received', means: 'The funds have arrived and will be converted.' },
  in_review: {
    tone: 'warn',
    words: 'In review',
    means: 'The provider reviews the deposit, then continues or refunds it.',
  },
  payout_submitted: {
    tone: 'busy',
    words: 'Payout submitted',
    means: 'The funds were converted and sent to the wallet.',
  },
  completed: { tone: 'good', words: 'Completed', means: 'The converted funds have reached the wallet.' },
  refund_pending: { tone: 'warn', words: 'Refund pending', means: 'The funds are being returned to the payer.' },
  refunded: { tone: 'off', words: 'Refunded', means: 'The funds were returned to the payer.' },
  failed: {
    tone: 'bad',
    words: 'Failed',
    means: 'The refund did not reach the payer. Contact your Causeway operator and quote the provider deposit ID.',
  },
  microdeposit: {
    tone: 'off',
    words: 'Microdeposit',
    means: 'The amount is below the minimum, so it is not converted.',
  },
}

/** Words for the provider's activity types. An unknown type is shown as the provider sent it. */
const activityWords: Readonly<Record<string, string>> = {
  funds_scheduled: 'Scheduled by the bank',
  funds_received: 'Funds received',
  in_review: 'Review started',
  microdeposit: 'Below the minimum: not converted',
  payment_submitted: 'Payout submitted',
  payment_processed: 'Payout confirmed',
  refund_in_flight: 'Refund submitted',
  refund_failed: 'Refund failed',
  refund: 'Refunded to the payer',
  refunded: 'Refunded to the payer',
}

export const wordsOfActivity = ({ type }: DepositActivity): string => activityWords[type] ?? type.replaceAll('_', ' ')

const bankRails: Readonly<Record<string, string>> = {
  ach_push: 'ACH',
  wire: 'Wire',
  fednow: 'FedNow',
  sepa: 'SEPA',
  spei: 'SPEI',
  pix: 'Pix',
  faster_payments: 'Faster Payments',
  bre_b: 'Bre-B',
}

/** A bank rail as payers know it. */
export const bankRailWords = (rail: string): string => bankRails[rail] ?? rail.replaceAll('_', ' ')

export const depositStatusOptions = depositStatuses.map((status) => [status, depositStates[status].words] as const)

export const DepositBadge = ({ status }: { status: Status }) => (
  <Badge tone={depositStates[status].tone}>{depositStates[status].words}</Badge>
)

const known = {
  paidIn: {
    id: 'paid-in',
    header: 'Received',
    cell: ({ grossAmount, sourceCurrency }) =>
      grossAmount === null ? (
        <span className="text-soft uppercase">{sourceCurrency}</span>
      ) : (
        <Money amount={grossAmount} />
      ),
  },
  status: { id: 'status', header: 'Status', cell: ({ status }) => <DepositBadge status={status} /> },
  sentOn: {
    id: 'sent-on',
    header: 'Paid out',
    align: 'right',
    cell: ({ netAmount }) => <Money amount={netAmount} />,
  },
  user: { id: 'user', header: 'End-user', cell: ({ externalUserId }) => externalUserId },
  sender: {
    id: 'sender',
    header: 'Payer',
    wideOnly: true,
    cell: ({ senderName }) => senderName ?? <span className="text-soft">–</span>,
  },
  arrived: { id: 'arrived', header: 'Created', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
} as const satisfies Record<string, Column<Deposit>>

const { paidIn, status, sentOn, user, sender, arrived } = known

/** Columns for deposits of all accounts. */
export const depositColumns: readonly Column<Deposit>[] = [paidIn, status, user, sender, sentOn, arrived]

/** On the first page, below the charts. */
export const latestDepositColumns: readonly Column<Deposit>[] = [
  paidIn,
  status,
  { ...user, cell: ({ externalUserId }) => <Clipped className="rows:max-w-28" text={externalUserId} /> },
  arrived,
]

/** Of one account or end-user. */
export const ownDepositColumns: readonly Column<Deposit>[] = [paidIn, status, sender, sentOn, arrived]
