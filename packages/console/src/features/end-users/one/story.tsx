// Activity of an end-user from its events: one sentence per event.

import { type EndUser, type Event, eventOf, type KnownEvent, type RailStatus } from '@causeway/sdk'
import type { ReactNode } from 'react'
import { Money } from '../../../components/money.tsx'
import type { Happening } from '../../../components/timeline.tsx'
import type { Tone } from '../../../components/ui/badge.tsx'
import { PlaceLink } from '../../../components/ui/place-link.tsx'
import { depositStates } from '../../../subjects/deposit.tsx'
import { kycTone, kycWords } from '../../../subjects/end-user.tsx'
import { plainName } from '../../../subjects/next-action.ts'

type Description = { words: ReactNode; tone?: Tone; detail?: ReactNode }

/** @param event of the list; its payload is text of others, and is shown as text */
export function happeningOf(event: Event): Happening {
  const { id, createdAt, eventType, payload, source } = event
  const read = eventOf(payload)
  const description = read.type === 'other' ? describeOther(eventType, source) : describe(read)
  return {
    id,
    at: createdAt,
    tone: description.tone ?? 'idle',
    words: (
      <PlaceLink to={`/events/${id}`} className="hover:underline">
        {description.words}
      </PlaceLink>
    ),
    ...(description.detail !== undefined && { detail: description.detail }),
  }
}

/** A deposit that is completed has a second event, which says that the money has arrived. */
export function isSaidTwice({ payload }: Event): boolean {
  const event = eventOf(payload)
  return event.type === 'virtual_account.deposit.updated' && event.data.status === 'completed'
}

function describe(event: KnownEvent): Description {
  switch (event.type) {
    case 'end_user.created':
      return { words: 'End-user created' }
    case 'end_user.tos.accepted':
      return { words: 'Terms of Service accepted', tone: 'good' }
    case 'end_user.kyc.updated':
      return describeKyc(event.data)
    case 'virtual_account.created':
      return describeAccount(event.data, 'opened', 'good')
    case 'virtual_account.updated':
      return describeAccount(event.data, 'changed')
    case 'virtual_account.suspended':
      return describeAccount(event.data, 'suspended', 'warn')
    case 'virtual_account.resumed':
      return describeAccount(event.data, 'resumed', 'good')
    case 'virtual_account.deactivated':
      return describeAccount(event.data, 'deactivated', 'off')
    case 'virtual_account.reactivated':
      return describeAccount(event.data, 'reactivated', 'good')
    case 'virtual_account.failed':
      return describeAccount(event.data, 'could not be opened', 'bad')
    case 'virtual_account.deposit.updated':
    case 'virtual_account.payment.received':
      return describeDeposit(event)
    default:
      return { words: <Code>{event.type}</Code> }
  }
}

function describeOther(eventType: string, source: string): Description {
  return {
    words: (
      <>
        {source === 'provider' ? 'The provider reported ' : 'Event '}
        <Code>{eventType}</Code>
      </>
    ),
  }
}

type KycData = Pick<EndUser, 'kycStatus' | 'rails' | 'requirements'>

function describeKyc({ kycStatus, rails, requirements }: KycData): Description {
  const open = railsIn(rails, 'active')
  const due = requirements.currentlyDue.map(plainName)
  const lines = [
    ...(open.length > 0 ? [`Active: ${open.join(', ')}.`] : []),
    ...(due.length > 0 && kycStatus !== 'approved' ? [`Missing: ${due.join(', ')}.`] : []),
    ...requirements.errors.map(({ reason }) => reason),
  ]
  const tone = kycTone(kycStatus)
  const words = `KYC: ${kycWords(kycStatus).toLowerCase()}`
  return lines.length === 0 ? { words, tone } : { words, tone, detail: lines.join(' ') }
}

export const railsIn = (rails: Readonly<Record<string, RailStatus>>, status: RailStatus): string[] =>
  Object.entries(rails).flatMap(([currency, one]) => (one === status ? [currency.toUpperCase()] : []))

type AccountData = { sourceCurrency: string; destinationCurrency: string; destinationPaymentRail: string }

function describeAccount(account: AccountData, what: string, tone: Tone = 'idle'): Description {
  const { sourceCurrency, destinationCurrency, destinationPaymentRail } = account
  return {
    words: `${sourceCurrency.toUpperCase()} account ${what}`,
    tone,
    detail: `Payout in ${destinationCurrency.toUpperCase()} on ${plainName(destinationPaymentRail)}.`,
  }
}

type DepositEvent = Extract<KnownEvent, { type: `virtual_account.${'deposit.updated' | 'payment.received'}` }>

function describeDeposit({ type, data }: DepositEvent): Description {
  if (type === 'virtual_account.payment.received')
    return {
      words: (
        <>
          <Money amount={data.netAmount ?? data.grossAmount} /> paid out to the wallet
        </>
      ),
      tone: 'good',
    }
  return {
    words: (
      <>
        Deposit of <Money amount={data.grossAmount} />: {depositStates[data.status].words.toLowerCase()}
      </>
    ),
    tone: depositStates[data.status].tone,
  }
}

const Code = ({ children }: { children: string }) => <code className="break-all font-mono text-xs">{children}</code>
