// Creates an end-user and goes to the new page.

import type { EndUserType } from '@causeway/sdk'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Failure } from '../../components/states.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Input, Select } from '../../components/ui/form.tsx'
import { MetadataField, metadataOf } from './metadata-field.tsx'
import { createEndUser } from './queries.ts'

export function CreateEndUser() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog
      title="Create an end-user"
      description="By your own id. Terms of Service and KYC follow on the page of the end-user."
      trigger={
        <Button variant="primary">
          <Plus /> Create end-user
        </Button>
      }
      open={isOpen}
      onOpenChange={setOpen}
    >
      <Form onDone={() => setOpen(false)} />
    </Dialog>
  )
}

function Form({ onDone }: { onDone: () => void }) {
  const [given, setGiven] = useState({ externalUserId: '', email: '', metadata: '' })
  const [type, setType] = useState<EndUserType>('individual')
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const navigate = useNavigate()
  const labels = metadataOf(given.metadata)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ('fault' in labels) return
    setBusy(true)
    try {
      const { metadata } = labels
      const { externalUserId, email } = given
      const body = { externalUserId, type, metadata, ...(email !== '' && { email }) }
      const user = await createEndUser(body)
      onDone()
      await navigate({ to: '/end-users/$externalUserId', params: { externalUserId: user.externalUserId } })
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <Field label="Your id" hint="externalUserId: as your own system knows the end-user. It cannot be changed.">
        {(attributes) => (
          <Input
            {...attributes}
            required
            autoComplete="off"
            maxLength={128}
            value={given.externalUserId}
            onChange={(event) => setGiven({ ...given, externalUserId: event.target.value })}
          />
        )}
      </Field>
      <Field label="Type">
        {(attributes) => (
          <Select
            {...attributes}
            value={type}
            onChange={(event) => setType(event.target.value === 'business' ? 'business' : 'individual')}
          >
            <option value="individual">Person</option>
            <option value="business">Company</option>
          </Select>
        )}
      </Field>
      <Field label="E-mail" hint="Optional. The provider’s KYC page needs one.">
        {(attributes) => (
          <Input
            {...attributes}
            type="email"
            autoComplete="off"
            value={given.email}
            onChange={(event) => setGiven({ ...given, email: event.target.value })}
          />
        )}
      </Field>
      <MetadataField value={given.metadata} onChange={(metadata) => setGiven({ ...given, metadata })} />
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end">
        <Button type="submit" variant="primary" disabled={isBusy || 'fault' in labels}>
          Create
        </Button>
      </div>
    </form>
  )
}
