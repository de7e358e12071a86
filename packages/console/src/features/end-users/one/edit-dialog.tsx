// Changes what we hold of an end-user: e-mail address, type, labels.

import type { Body, EndUser } from '@causeway/sdk'
import { Pencil } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Failure } from '../../../components/states.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog } from '../../../components/ui/dialog.tsx'
import { Field, Input, Select } from '../../../components/ui/form.tsx'
import { isWritable, MetadataField, metadataOf, textOfMetadata } from '../metadata-field.tsx'
import { updateEndUser } from '../queries.ts'

export function EditEndUser({ user }: { user: EndUser }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog
      title="Edit the end-user"
      description="Changes your record. What the provider holds is changed by the next KYC submission."
      trigger={
        <Button>
          <Pencil /> Edit
        </Button>
      }
      open={isOpen}
      onOpenChange={setOpen}
    >
      <Form user={user} onDone={() => setOpen(false)} />
    </Dialog>
  )
}

function Form({ user, onDone }: { user: EndUser; onDone: () => void }) {
  const [email, setEmail] = useState(user.email ?? '')
  const [type, setType] = useState(user.type)
  const hasLabels = isWritable(user.metadata)
  const [labels, setLabels] = useState(textOfMetadata(user.metadata))
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const read = metadataOf(labels)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ('fault' in read) return
    setBusy(true)
    try {
      const body: Body<'updateEndUser'> = { email: email === '' ? null : email }
      if (hasLabels) body.metadata = read.metadata
      if (type !== user.type) body.type = type
      await updateEndUser(user.externalUserId, body)
      toast.success('Saved')
      onDone()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <Field label="E-mail" hint="Empty removes the address.">
        {(attributes) => (
          <Input
            {...attributes}
            type="email"
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      {user.providerCustomerId === null && (
        <Field label="Type" hint="Fixed once the provider knows the end-user.">
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
      )}
      {hasLabels && <MetadataField value={labels} onChange={setLabels} />}
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end">
        <Button type="submit" variant="primary" disabled={isBusy || 'fault' in read}>
          Save
        </Button>
      </div>
    </form>
  )
}
