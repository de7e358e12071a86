// Changes what we hold of an end-user: email address, type, labels.

import type { Body, EndUser } from '@causeway/sdk'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { ActionForm } from '../../../components/dialogs/action-form.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog } from '../../../components/ui/dialog.tsx'
import { SelectField, TextField } from '../../../components/ui/form.tsx'
import { endUserTypes } from '../../../subjects/end-user.tsx'
import { isWritable, MetadataField, metadataOf, textOfMetadata } from '../metadata-field.tsx'
import { updateEndUser } from '../queries.ts'

export function EditEndUser({ user }: { user: EndUser }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog
      title="Edit end-user"
      description="Changes your record only. The next KYC submission updates the data at the provider."
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
  const read = metadataOf(labels)
  const submit = async () => {
    if ('fault' in read) return
    const body: Body<'updateEndUser'> = { email: email === '' ? null : email }
    if (hasLabels) body.metadata = read.metadata
    if (type !== user.type) body.type = type
    await updateEndUser(user.externalUserId, body)
    toast.success('Saved')
    onDone()
  }
  return (
    <ActionForm action="Save" isReady={!('fault' in read)} onSubmit={submit}>
      <TextField label="Email" hint="Leave empty to remove the email." type="email" value={email} onChange={setEmail} />
      {user.providerCustomerId === null && (
        <SelectField
          label="Type"
          hint="Cannot be changed after the first KYC submission."
          options={endUserTypes}
          value={type}
          onChange={setType}
        />
      )}
      {hasLabels && <MetadataField value={labels} onChange={setLabels} />}
    </ActionForm>
  )
}
