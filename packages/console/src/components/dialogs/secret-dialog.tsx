// A dialog whose form makes a secret, which the dialog then shows once. Closing it with the secret in it asks first.

import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ActionForm } from './action-form.tsx'
import { useOpened } from './opened.ts'
import { SecretOnce } from './secret-once.tsx'

type Props = {
  /** Left out where the dialog is open from the beginning. */
  trigger?: ReactNode
  /** Its name behind the `#` of the address. */
  openedBy?: string
  title: string
  /** Shown until the secret is made. */
  description?: string
  /** The kind of secret: “key”, “link”. */
  name: string
  action: string
  isReady?: boolean
  /** @returns the secret */
  onMake: () => Promise<string>
  /** Shown next to the secret. */
  afterwards?: ReactNode | ((secret: string) => ReactNode)
  onClose?: () => void
  children: ReactNode
}

export function SecretDialog({
  trigger,
  openedBy,
  title,
  description,
  name,
  onMake,
  afterwards,
  onClose,
  ...form
}: Props) {
  const [isOpen, setOpen] = useOpened(openedBy, trigger === undefined)
  const [isLeaving, setLeaving] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => {
    setOpen(false)
    setSecret(null)
    setLeaving(false)
    onClose?.()
  }
  const change = (open: boolean) => {
    if (open) setOpen(true)
    else if (secret === null) close()
    else setLeaving(true)
  }
  return (
    <Dialog
      title={title}
      {...(secret === null && description !== undefined && { description })}
      trigger={trigger}
      open={isOpen}
      onOpenChange={change}
    >
      {secret === null ? (
        <ActionForm {...form} onSubmit={async () => setSecret(await onMake())} />
      ) : (
        <div className="grid gap-4">
          {typeof afterwards === 'function' ? afterwards(secret) : afterwards}
          <SecretOnce name={name} secret={secret} onDone={close} />
          {isLeaving && (
            <div role="alert" className="flex flex-wrap items-center justify-between gap-2 text-soft">
              Close without storing the {name}? It cannot be shown again.
              <Button variant="danger" size="sm" onClick={close}>
                Close anyway
              </Button>
            </div>
          )}
        </div>
      )}
    </Dialog>
  )
}
