// Where converted deposits go, and a new destination that does not count yet.

import type { VirtualAccount } from '@causeway/sdk'
import { ArrowRight, TriangleAlert } from 'lucide-react'
import { Copyable } from '../../components/copy-button.tsx'
import { Confirm } from '../../components/dialogs/confirm.tsx'
import { Time, TimeAgo } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { railWords, WalletAddress } from '../../subjects/wallet-address.tsx'
import { changeAccount } from './queries.ts'

type Destination = VirtualAccount['destination']

export function DestinationCard({ account }: { account: VirtualAccount }) {
  const { destination } = account
  return (
    <Card title="Payout destination">
      <DestinationLines destination={destination} shownAddress={account.destinationAddress} />
    </Card>
  )
}

/** @param shownAddress of a wallet that is named by its ID, as far as the provider shows it */
function DestinationLines({ destination, shownAddress = '' }: { destination: Destination; shownAddress?: string }) {
  const { payment_rail, currency, bridge_wallet_id, prefunded_account_id, blockchain_memo } = destination
  const address = destination.address ?? shownAddress
  return (
    <div className="grid gap-2">
      <p>
        <span className="font-semibold uppercase">{currency}</span>{' '}
        <span className="text-soft">on {railWords(payment_rail)}</span>
      </p>
      {bridge_wallet_id !== undefined && <Id words="Wallet at the provider" id={bridge_wallet_id} />}
      {prefunded_account_id !== undefined && <Id words="Prefunded account" id={prefunded_account_id} />}
      {address !== '' && <WalletAddress address={address} />}
      {blockchain_memo !== undefined && (
        <p className="flex flex-wrap items-center gap-1">
          <span className="text-soft">Memo</span> <Copyable text={blockchain_memo} name="the memo" />
        </p>
      )}
    </div>
  )
}

function Id({ words, id }: { words: string; id: string }) {
  return (
    <p className="flex flex-wrap items-center gap-1">
      <span className="text-soft">{words}</span> <Copyable text={id} name={`the ID of the ${words.toLowerCase()}`} />
    </p>
  )
}

/** Shown while a new destination waits: what changes, when, and how to stop it. */
export function WaitingChange({ account, mayChange }: { account: VirtualAccount; mayChange: boolean }) {
  const { pendingDestination: next, pendingDestinationFrom: from, destination } = account
  if (next === undefined) return null
  const keep = async () => {
    await changeAccount(account.id, { destination })
    toast.success('Destination change canceled.')
  }
  return (
    <section
      aria-label="Pending destination change"
      className="grid gap-3 rounded-lg border border-warn/40 bg-warn-soft p-4 print:hidden"
    >
      <div className="flex flex-wrap items-start justify-between gap-3">
        <p className="flex min-w-0 items-start gap-2 font-semibold">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
          {from === undefined ? (
            'The new destination is being sent to the provider.'
          ) : (
            <span>
              The destination changes <TimeAgo at={from} />, at <Time at={from} />.
            </span>
          )}
        </p>
        {mayChange && from !== undefined && (
          <Confirm
            trigger={<Button size="sm">Cancel change</Button>}
            title="Cancel the destination change?"
            action="Cancel change"
            onConfirm={keep}
          >
            Deposits continue to go to the current destination.
          </Confirm>
        )}
      </div>
      <div className="grid gap-3 rounded-md bg-surface p-3 md:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]">
        <div className="grid content-start gap-1">
          <p className="text-soft text-xs">Current destination</p>
          <DestinationLines destination={destination} />
        </div>
        <ArrowRight aria-hidden="true" className="size-5 self-center text-soft max-md:rotate-90" />
        <div className="grid content-start gap-1">
          <p className="text-soft text-xs">New destination</p>
          <DestinationLines destination={next} />
        </div>
      </div>
    </section>
  )
}
