// Creates a key with the chosen scopes and expiration.

import type { ApiKeyScope } from '@causeway/sdk'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { SecretDialog } from '../../../components/dialogs/secret-dialog.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { SelectField, TextField } from '../../../components/ui/form.tsx'
import type { Session } from '../../../session/session.ts'
import { allScopes, ScopePicker } from '../../../subjects/scopes.tsx'
import { issueKey } from '../queries.ts'

const dayMs = 86_400_000

const ends: readonly (readonly [days: string, words: string])[] = [
  ['', 'Never'],
  ['1', 'In 1 day'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In 1 year'],
]

export function NewKey({ session }: { session: Session }) {
  const offered = allScopes.filter((scope) => session.scopes.includes(scope))
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ApiKeyScope[]>(offered)
  const [days, setDays] = useState('')
  const make = async () => {
    const { key } = await issueKey({
      scopes,
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
    })
    return key
  }
  return (
    <SecretDialog
      trigger={
        <Button variant="primary">
          <Plus /> Create API key
        </Button>
      }
      openedBy="create"
      title="Create API key"
      name="key"
      action="Create key"
      isReady={scopes.length > 0}
      onMake={make}
    >
      <TextField
        label="Name"
        hint="For example “Backend” or “Reports”."
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <ScopePicker offered={offered} chosen={scopes} onChange={setScopes} />
      <SelectField label="Expiration" options={ends} value={days} onChange={setDays} />
    </SecretDialog>
  )
}
