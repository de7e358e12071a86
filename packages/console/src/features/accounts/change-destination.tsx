// Changes the payout destination for later deposits. The dialog shows the change once more before it is sent.

import type { VirtualAccount } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Failure, Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog, DialogClose, useHeldOpen } from '../../components/ui/dialog.tsx'
import { capabilitiesQuery } from '../../subjects/capabilities.ts'
import { railWords, WalletAddress } from '../../subjects/wallet-address.tsx'
import {
  type DestinationDraft,
  DestinationFields,
  destinationOf,
  emptyDestination,
  showFault,
} from './destination-fields.tsx'
import { changeAccount } from './queries.ts'

export function ChangeDestination({ account }: { account: VirtualAccount }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog
      title="Change payout destination"
      trigger={<Button>Change destination</Button>}
      open={isOpen}
      onOpenChange={setOpen}
    >
      <ChangeForm account={account} onDone={() => setOpen(false)} />
    </Dialog>
  )
}

function ChangeForm({ account, onDone }: { account: VirtualAccount; onDone: () => void }) {
  const { data: capabilities, error: unread } = useQuery(capabilitiesQuery)
  const { payment_rail, currency } = account.destination
  const [draft, setDraft] = useState({ ...emptyDestination, payment_rail, currency })
  const [isChecking, setChecking] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  useHeldOpen(isBusy)
  if (capabilities === undefined) return unread === null ? <Skeleton lines={5} /> : <Failure error={unread} />
  const minutes = capabilities.limits.destinationChangeDelayMinutes
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isChecking) return setChecking(true)
    setBusy(true)
    setError(null)
    try {
      const changed = await changeAccount(account.id, { destination: destinationOf(draft) })
      toast.success(changed.pendingDestination ? 'Destination change scheduled.' : 'Payout destination changed.')
      onDone()
    } catch (failure) {
      setError(failure)
      showFault()
      setChecking(false)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      {isChecking ? (
        <Check draft={draft} />
      ) : (
        <DestinationFields chains={capabilities.destination} draft={draft} onChange={setDraft} error={error} />
      )}
      <p className="text-soft">
        {minutes === 0 ? 'Applies immediately, to deposits' : `Applies ${waitWords(minutes)} from now, to deposits`}{' '}
        converted after the change.
      </p>
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        {isChecking ? (
          <Button disabled={isBusy} onClick={() => setChecking(false)}>
            Back
          </Button>
        ) : (
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
        )}
        <Button type="submit" variant="primary" disabled={isBusy}>
          {isChecking ? 'Change destination' : 'Continue'}
        </Button>
      </div>
    </form>
  )
}

function Check({ draft }: { draft: DestinationDraft }) {
  return (
    <div className="grid gap-2 rounded-lg bg-sunken p-4">
      <p>Compare this with your wallet, group by group:</p>
      <p>
        <span className="font-semibold uppercase">{draft.currency}</span>{' '}
        <span className="text-soft">on {railWords(draft.payment_rail)}</span>
      </p>
      <WalletAddress address={draft.wallet.trim()} hasCopy={false} />
      {draft.blockchain_memo.trim() !== '' && (
        <p>
          <span className="text-soft">Memo</span>{' '}
          <code className="font-mono text-xs">{draft.blockchain_memo.trim()}</code>
        </p>
      )}
    </div>
  )
}

const waitWords = (minutes: number): string =>
  minutes % 60 === 0 ? `${minutes / 60} ${minutes === 60 ? 'hour' : 'hours'}` : `${minutes} minutes`
