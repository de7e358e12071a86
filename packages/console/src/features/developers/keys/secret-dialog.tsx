// A dialog whose form makes a secret, which it then shows once. Who closes it with the secret in it is asked again.

import { type FormEvent, type ReactNode, useState } from 'react'
import { SecretOnce } from '../../../components/secret-once.tsx'
import { Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog, DialogClose } from '../../../components/ui/dialog.tsx'

type Props = {
  /** Left out where the dialog is open from the beginning. */
  trigger?: ReactNode
  title: string
  /** What the secret is: “key”, “link”. */
  name: string
  action: string
  isReady?: boolean
  /** @returns the secret */
  onMake: () => Promise<string>
  /** Shown beside the secret. */
  afterwards?: ReactNode
  onClose?: () => void
  children: ReactNode
}

export function SecretDialog({
  trigger,
  title,
  name,
  action,
  isReady = true,
  onMake,
  afterwards,
  onClose,
  children,
}: Props) {
  const [isOpen, setOpen] = useState(trigger === undefined)
  const [isBusy, setBusy] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const close = () => {
    setOpen(false)
    setSecret(null)
    setLeaving(false)
    setError(null)
    onClose?.()
  }
  const change = (open: boolean) => {
    if (open) setOpen(true)
    else if (secret === null) close()
    else setLeaving(true)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      setSecret(await onMake())
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} trigger={trigger} open={isOpen} onOpenChange={change}>
      {secret === null ? (
        <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
          {children}
          {error !== null && <Failure error={error} />}
          <div className="flex justify-end gap-2">
            <DialogClose asChild>
              <Button>Cancel</Button>
            </DialogClose>
            <Button type="submit" variant="primary" disabled={isBusy || !isReady}>
              {action}
            </Button>
          </div>
        </form>
      ) : (
        <div className="grid gap-4">
          {afterwards}
          <SecretOnce name={name} secret={secret} onDone={close} />
          {isLeaving && (
            <div role="alert" className="flex flex-wrap items-center justify-between gap-2 text-soft">
              Close it without having stored the {name}? It cannot be shown again.
              <Button variant="danger" size="sm" onClick={close}>
                Close all the same
              </Button>
            </div>
          )}
        </div>
      )}
    </Dialog>
  )
}
