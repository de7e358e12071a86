// Draws a new signing secret, shown once. The old one signs beside it for a time, so that receivers can be changed over.

import { type FormEvent, type ReactNode, useState } from 'react'
import { SecretOnce } from '../../../components/secret-once.tsx'
import { Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Field, Select } from '../../../components/ui/form.tsx'
import { rotateSecret } from '../queries.ts'

const overlaps = [
  [24, '24 hours'],
  [1, '1 hour'],
  [72, '3 days'],
  [168, '7 days'],
  [0, 'Not at all: the old secret ends now'],
] as const

type Props = { endpointId: string; cancel: ReactNode; onDone: () => void }

export function RotateForm({ endpointId, cancel, onDone }: Props) {
  const [hours, setHours] = useState<number>(24)
  const [secret, setSecret] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    await rotateSecret(endpointId, hours).then(setSecret, setError)
    setBusy(false)
  }
  if (secret !== null) return <SecretOnce name="signing secret" secret={secret} onDone={onDone} />
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <Field
        label="How long the old secret signs too"
        hint="Meanwhile each request carries both signatures. Put the new secret into your receiver before the old one ends."
      >
        {(attributes) => (
          <Select {...attributes} value={hours} onChange={(event) => setHours(Number(event.target.value))}>
            {overlaps.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        {cancel}
        <Button type="submit" variant="primary" disabled={isBusy}>
          Rotate the secret
        </Button>
      </div>
    </form>
  )
}
