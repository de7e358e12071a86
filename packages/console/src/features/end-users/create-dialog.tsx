// Creates an end-user and goes to the new page.

import type { EndUserType } from '@causeway/sdk'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { ActionForm } from '../../components/dialogs/action-form.tsx'
import { useOpened } from '../../components/dialogs/opened.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { SelectField, TextField } from '../../components/ui/form.tsx'
import { endUserTypes } from '../../subjects/end-user.tsx'
import { MetadataField, metadataOf } from './metadata-field.tsx'
import { createEndUser } from './queries.ts'

/** @param openedBy its name behind the `#` of the address */
export function CreateEndUser({ openedBy }: { openedBy?: string }) {
  const [isOpen, setOpen] = useOpened(openedBy)
  return (
    <Dialog
      title="Create end-user"
      description="Terms of Service and KYC follow on the end-user’s page."
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
  const navigate = useNavigate()
  const labels = metadataOf(given.metadata)
  const submit = async () => {
    if ('fault' in labels) return
    const { metadata } = labels
    const { externalUserId, email } = given
    const user = await createEndUser({ externalUserId, type, metadata, ...(email !== '' && { email }) })
    onDone()
    await navigate({ to: '/end-users/$externalUserId', params: { externalUserId: user.externalUserId } })
  }
  return (
    <ActionForm action="Create end-user" isReady={!('fault' in labels)} onSubmit={submit}>
      <TextField
        label="End-user ID"
        hint="Your own identifier (externalUserId). You cannot change it later."
        required
        maxLength={128}
        value={given.externalUserId}
        onChange={(externalUserId) => setGiven({ ...given, externalUserId })}
      />
      <SelectField label="Type" options={endUserTypes} value={type} onChange={setType} />
      <TextField
        label="Email"
        hint="Optional. Required for the provider’s KYC page."
        type="email"
        value={given.email}
        onChange={(email) => setGiven({ ...given, email })}
      />
      <MetadataField value={given.metadata} onChange={(metadata) => setGiven({ ...given, metadata })} />
    </ActionForm>
  )
}
