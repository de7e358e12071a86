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
      title={`Issue a key for ${business.name}`}
      description="It may do everything that the business may do."
      trigger={
        <Button size="sm">
          <KeyRound /> Issue a key
        </Button>
      }
      name="key"
      action="Issue the key"
      onMake={() => issueKey(business.id, name.trim())}
      onClose={() => setName('')}
    >
      <TextField
        label="What it is for"
        hint="Such as the name of the service that uses it."
        required
        maxLength={100}
        value={name}
        onChange={setName}
      />
    </SecretDialog>
  )
}
