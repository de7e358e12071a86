// Asks before something that cannot be taken back. A refusal is shown where it was asked for.

import { type ReactNode, useState } from 'react'
import { Failure } from '../states.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogClose } from '../ui/dialog.tsx'

type Props = {
  trigger?: ReactNode
  /** Where something else opens it, such as an item of a menu. */
  open?: boolean
  onOpenChange?: (open: boolean) => void
  title: string
  /** What happens, and what cannot be taken back. */
  children: ReactNode
  /** The verb on the button. */
  action: string
  isDangerous?: boolean
  onConfirm: () => Promise<unknown>
}

export function Confirm({ title, children, action, isDangerous = false, onConfirm, ...props }: Props) {
  const [isOpenHere, setOpenHere] = useState(false)
  const { trigger, open: isOpen = isOpenHere, onOpenChange: setOpen = setOpenHere } = props
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const confirm = async () => {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      setOpen(false)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} trigger={trigger} open={isOpen} onOpenChange={setOpen}>
      <div className="text-soft">{children}</div>
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        <DialogClose asChild>
          <Button>Cancel</Button>
        </DialogClose>
        <Button variant={isDangerous ? 'danger' : 'primary'} disabled={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
