// Issues a key for a business, and shows it once.

import type { Customer } from '@causeway/sdk'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { SecretOnce } from '../../../components/secret-once.tsx'
import { Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog, DialogClose } from '../../../components/ui/dialog.tsx'
import { Field, Input } from '../../../components/ui/form.tsx'
import { issueKey } from '../queries.ts'

const nameCharsMax = 100

export function IssueKey({ business }: { business: Customer }) {
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Dialog
      title={`Issue a key for ${business.name}`}
      {...(secret === null && { description: 'It may do everything that the business may do.' })}
      trigger={
        <Button size="sm">
          <KeyRound /> Issue a key
        </Button>
      }
      open={isOpen}
      // A key that is shown goes by its own button alone: it cannot be shown again.
      onOpenChange={(open) => (open || secret === null) && setOpen(open)}
    >
      {secret === null ? (
        <NewKey business={business} onMade={setSecret} />
      ) : (
        <SecretOnce
          name="key"
          secret={secret}
          onDone={() => {
            setOpen(false)
            setSecret(null)
          }}
        />
      )}
    </Dialog>
  )
}

function NewKey({ business, onMade }: { business: Customer; onMade: (key: string) => void }) {
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      onMade(await issueKey(business.id, name.trim()))
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <Field label="What it is for" hint="Such as the name of the service that uses it.">
        {(attributes) => (
          <Input
            {...attributes}
            required
            maxLength={nameCharsMax}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        <DialogClose asChild>
          <Button>Cancel</Button>
        </DialogClose>
        <Button type="submit" variant="primary" disabled={isBusy}>
          Issue the key
        </Button>
      </div>
    </form>
  )
}
