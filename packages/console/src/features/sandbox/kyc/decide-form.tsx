// Decides about an end-user as the provider would.

import type { Body } from '@causeway/sdk'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { SelectField, TextField } from '../../../components/ui/form.tsx'
import { causeway, queryClient } from '../../../session/client.ts'
import { EndUserField } from '../end-user-field.tsx'
import { decisions } from '../outcomes.ts'
import { endUserPlace } from '../places.ts'

const page = getRouteApi('/business/sandbox')

type Ruling = Body<'decideKyc'>

export function DecideForm() {
  const { externalUserId = '' } = page.useSearch()
  const [name, setName] = useState(externalUserId)
  const [decision, setDecision] = useState<Ruling['decision']>('approve')
  const [more, setMore] = useState('')
  const decide = useMutation({
    mutationFn: (ruling: Ruling) => causeway.sandbox.decideKyc(ruling),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['end-users'] }),
  })
  const isRejection = decision === 'reject'
  const takesMore = isRejection || decision === 'approve' || decision === 'revoke_endorsement'
  const text = takesMore ? more.trim() : ''
  return (
    <form
      className="grid gap-3"
      aria-label="Change KYC status"
      onSubmit={(event) => {
        event.preventDefault()
        const detail = isRejection ? { reason: text } : { endorsement: text }
        decide.mutate({ externalUserId: name.trim(), decision, ...(text !== '' && detail) })
      }}
    >
      <div className="grid items-end gap-3 sm:grid-cols-2">
        <EndUserField label="End-user to change" required value={name} onChange={setName} />
        <SelectField label="Decision" options={decisions} value={decision} onChange={setDecision} />
        {takesMore && (
          <TextField
            label={isRejection ? 'Reason (optional)' : 'Endorsement (optional)'}
            hint={isRejection ? 'As the reviewer wrote it.' : 'For example sepa. Default: all.'}
            maxLength={isRejection ? 1_024 : 64}
            value={more}
            onChange={setMore}
          />
        )}
        <Button type="submit" className="justify-self-start" disabled={decide.isPending}>
          Apply decision
        </Button>
      </div>
      {decide.isSuccess && (
        <p role="status" className="text-soft">
          Decision applied. The status of{' '}
          <Link to={endUserPlace(decide.variables.externalUserId)} className="text-accent underline">
            {decide.variables.externalUserId}
          </Link>{' '}
          updates with the next event.
        </p>
      )}
      {decide.error !== null && <Failure error={decide.error} />}
    </form>
  )
}
