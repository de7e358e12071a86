// Opens an account. The same request sent again, after its response was lost, has the same idempotency key.

import { ApiError } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useId, useRef, useState } from 'react'
import { useOpened } from '../../components/dialogs/opened.ts'
import { Failure, Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog, DialogClose, useHeldOpen } from '../../components/ui/dialog.tsx'
import { Checkbox, SelectField, TextField } from '../../components/ui/form.tsx'
import { capabilitiesQuery } from '../../subjects/capabilities.ts'
import { DestinationFields, destinationOf, emptyDestination, faultOf, showFault } from './destination-fields.tsx'
import { endUsersLikeQuery, type NewAccount, openAccount } from './queries.ts'

/** @param externalUserId whose account, if that is known already */
export function OpenAccount({ externalUserId }: { externalUserId: string | undefined }) {
  const [isOpen, setOpen] = useOpened('create')
  return (
    <Dialog
      title="Open account"
      open={isOpen}
      onOpenChange={setOpen}
      description="The provider issues bank details for an end-user and pays out deposits to a wallet."
      trigger={
        <Button variant="primary">
          <Plus /> Open account
        </Button>
      }
    >
      <OpenForm externalUserId={externalUserId ?? ''} />
    </Dialog>
  )
}

type Draft = { externalUserId: string; currency: string; fee: string; waits: boolean }

/** @returns the idempotency key of a request body: equal bodies in a row get the same key */
function useIdempotencyKey(): (body: NewAccount) => string {
  const last = useRef({ text: '', key: '' })
  return (body) => {
    const text = JSON.stringify(body)
    if (last.current.text !== text) last.current = { text, key: `console-${randomKey()}` }
    return last.current.key
  }
}

const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

function OpenForm({ externalUserId }: { externalUserId: string }) {
  const { data: capabilities, error: unread } = useQuery(capabilitiesQuery)
  const [draft, setDraft] = useState<Draft>({ externalUserId, currency: 'usd', fee: '', waits: false })
  const [destination, setDestination] = useState(emptyDestination)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  useHeldOpen(isBusy)
  const navigate = useNavigate()
  const keyOf = useIdempotencyKey()
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    const body: NewAccount = {
      externalUserId: draft.externalUserId.trim(),
      source: { currency: draft.currency },
      destination: destinationOf(destination),
      ...(draft.fee.trim() !== '' && { developer_fee_percent: draft.fee.trim() }),
      ...(draft.waits && { onPendingKyc: 'wait' }),
    }
    try {
      const { id } = await openAccount(body, keyOf(body))
      toast.success('Account opened.')
      await navigate({ to: '/accounts/$accountId', params: { accountId: id } })
    } catch (failure) {
      setError(failure)
      showFault()
      setBusy(false)
    }
  }
  if (capabilities === undefined) return unread === null ? <Skeleton lines={6} /> : <Failure error={unread} />
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <EndUserField value={draft.externalUserId} onChange={(id) => set({ externalUserId: id })} error={error} />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Deposit currency"
          fault={faultOf(error, 'source.currency')}
          options={capabilities.source.map(({ currency }) => [currency, currency.toUpperCase()])}
          value={draft.currency}
          onChange={(currency) => set({ currency })}
        />
        <TextField
          label="Your fee in % (optional)"
          fault={faultOf(error, 'developer_fee_percent')}
          inputMode="decimal"
          placeholder="0.5"
          value={draft.fee}
          onChange={(fee) => set({ fee })}
        />
      </div>
      <DestinationFields
        chains={capabilities.destination}
        draft={destination}
        onChange={setDestination}
        error={error}
      />
      <Checkbox
        label="Open automatically after KYC approval"
        checked={draft.waits}
        onChange={({ target }) => set({ waits: target.checked })}
      />
      {error !== null && <Failure error={error} />}
      {isPending(error) && (
        <p className="text-soft text-xs">Sending the same request again does not open a second account.</p>
      )}
      <div className="flex justify-end gap-2">
        <DialogClose>
          <Button>Cancel</Button>
        </DialogClose>
        <Button type="submit" variant="primary" disabled={isBusy}>
          {isBusy ? 'Opening…' : 'Open account'}
        </Button>
      </div>
    </form>
  )
}

/** Whether the outcome is not known, or may be another one later. */
const isPending = (error: unknown): boolean => error !== null && (!(error instanceof ApiError) || error.retryable)

function EndUserField({
  value,
  onChange,
  error,
}: {
  value: string
  onChange: (externalUserId: string) => void
  error: unknown
}) {
  const { data: found } = useQuery(endUsersLikeQuery(value.trim()))
  const list = useId()
  return (
    <>
      <TextField
        label="End-user"
        hint="The ID of an approved end-user. Type the start of an ID or email to search."
        fault={faultOf(error, 'externalUserId')}
        required
        list={list}
        value={value}
        onChange={onChange}
      />
      <datalist id={list}>
        {(found ?? []).map(({ externalUserId, kycStatus }) => (
          <option key={externalUserId} value={externalUserId}>
            {kycStatus.replaceAll('_', ' ')}
          </option>
        ))}
      </datalist>
    </>
  )
}
