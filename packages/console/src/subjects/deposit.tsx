// The states of a deposit, in words, and deposits as rows: several subjects show deposits.

import type { Deposit, DepositActivity } from '@causeway/sdk'
import type { Column } from '../components/data-table.tsx'
import { Money } from '../components/money.tsx'
import { TimeAgo } from '../components/time.tsx'
import { Badge, type Tone } from '../components/ui/badge.tsx'

type Status = Deposit['status']
type Words = { tone: Tone; words: string; means: string }

export const depositStatuses = [
  'scheduled',
  'received',
  'in_review',
  'payout_submitted',
  'completed',
  'refund_pending',
  'refunded',
  'failed',
  'microdeposit',
] as const satisfies readonly Status[]

export const depositStates: Readonly<Record<Status, Words>> = {
  scheduled: { tone: 'idle', words: 'Announced', means: 'The bank has announced it. The money has not arrived.' },
  received: { tone: 'busy', words: 'Received', means: 'The money has arrived, and is about to be converted.' },
  in_review: {
    tone: 'warn',
    words: 'In review',
    means: 'The provider reviews the deposit, then continues it or sends it back. Nothing to do here.',
  },
  payout_submitted: { tone: 'busy', words: 'On its way', means: 'It was converted, and is on its way to the wallet.' },
  completed: { tone: 'good', words: 'Completed', means: 'The converted money has reached the wallet.' },
  refund_pending: { tone: 'warn', words: 'Being sent back', means: 'The money is on its way back to the payer.' },
  refunded: { tone: 'off', words: 'Sent back', means: 'The money went back to the payer.' },
  failed: {
    tone: 'bad',
    words: 'Failed',
    means:
      'The refund did not reach the payer. The provider may try again. Otherwise ask its support, and quote its ID of the deposit.',
  },
  microdeposit: {
    tone: 'off',
    words: 'Below the minimum',
    means: 'Less than the minimum arrived, so it is not converted.',
  },
}

/** What the provider told, in words. A type that is new to us is shown as it came. */
const activityWords: Readonly<Record<string, string>> = {
  funds_scheduled: 'The bank announced the deposit',
  funds_received: 'The money arrived',
  in_review: 'The provider began to look into it',
  microdeposit: 'It is less than the minimum, and is not converted',
  payment_submitted: 'The payout was sent to the blockchain',
  payment_processed: 'The payout was confirmed',
  refund_in_flight: 'The money was sent back towards the payer',
  refund_failed: 'The refund did not reach the payer',
  refund: 'The money went back to the payer',
  refunded: 'The money went back to the payer',
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
    header: 'Paid in',
    cell: ({ grossAmount, sourceCurrency }) =>
      grossAmount === null ? (
        <span className="text-soft uppercase">{sourceCurrency}</span>
      ) : (
        <Money amount={grossAmount} />
      ),
  },
  status: { id: 'status', header: 'State', cell: ({ status }) => <DepositBadge status={status} /> },
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
  arrived: { id: 'arrived', header: 'Arrived', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
} as const satisfies Record<string, Column<Deposit>>

const { paidIn, status, sentOn, user, sender, arrived } = known

/** Of all accounts. */
export const depositColumns: readonly Column<Deposit>[] = [paidIn, status, user, sender, sentOn, arrived]

/** Of one account or end-user. */
export const ownDepositColumns: readonly Column<Deposit>[] = [paidIn, status, sender, sentOn, arrived]
