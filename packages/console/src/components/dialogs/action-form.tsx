// The form of a dialog: its fields, a refusal, and the buttons. After a success the caller closes or replaces it.

import { type FormEvent, type ReactNode, useState } from 'react'
import { Failure } from '../states.tsx'
import { Button } from '../ui/button.tsx'
import { DialogClose, useHeldOpen } from '../ui/dialog.tsx'

type Props = {
  /** The verb on the button. */
  action: string
  isReady?: boolean
  onSubmit: () => Promise<unknown>
  children: ReactNode
}

export function ActionForm({ action, isReady = true, onSubmit, children }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  useHeldOpen(isBusy)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await onSubmit()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      {children}
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        <DialogClose>
          <Button>Cancel</Button>
        </DialogClose>
        <Button type="submit" variant="primary" disabled={isBusy || !isReady}>
          {action}
        </Button>
      </div>
    </form>
  )
}
