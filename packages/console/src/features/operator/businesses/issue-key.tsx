// Issues a key for a business, and shows it once.

import type { Customer } from '@causeway/sdk'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { SecretDialog } from '../../../components/dialogs/secret-dialog.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { TextField } from '../../../components/ui/form.tsx'
import { issueKey } from '../queries.ts'

export function IssueKey({ business }: { business: Customer }) {
  const [name, setName] = useState('')
  return (
    <SecretDialog
      title={`Issue key for ${business.name}`}
      description="The key has all scopes of the business."
      trigger={
        <Button size="sm">
          <KeyRound /> Issue key
        </Button>
      }
      name="key"
      action="Issue key"
      onMake={() => issueKey(business.id, name.trim())}
      onClose={() => setName('')}
    >
      <TextField
        label="Name"
        hint="For example the service that uses the key."
        required
        maxLength={100}
        value={name}
        onChange={setName}
      />
    </SecretDialog>
  )
}
