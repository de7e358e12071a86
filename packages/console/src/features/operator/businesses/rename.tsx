// Gives a business another name.

import type { Customer } from '@causeway/sdk'
import { type FormEvent, useState } from 'react'
import { Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog } from '../../../components/ui/dialog.tsx'
import { Field, Input } from '../../../components/ui/form.tsx'
import { changeBusiness } from '../queries.ts'

const nameCharsMax = 200

export function Rename({ business }: { business: Customer }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState(business.name)
  const [error, setError] = useState<unknown>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    try {
      await changeBusiness(business.id, { name: name.trim() })
      setOpen(false)
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Dialog
      title={`Rename ${business.name}`}
      trigger={<Button>Rename</Button>}
      open={isOpen}
      onOpenChange={(open) => {
        setName(business.name)
        setError(null)
        setOpen(open)
      }}
    >
      <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
        <Field label="Name">
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
        <div className="flex justify-end">
          <Button type="submit" variant="primary">
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
