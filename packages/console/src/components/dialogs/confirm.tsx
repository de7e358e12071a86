// Asks before something that cannot be taken back. A refusal is shown where it was asked for, and goes with the dialog.

import { type ReactNode, useState } from 'react'
import { holdingReloads } from '../../session/live.ts'
import { Failure } from '../states.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogClose, useHeldOpen } from '../ui/dialog.tsx'

type Question = {
  /** The effect, and whether it can be undone. */
  children: ReactNode
  /** The verb on the button. */
  action: string
  isDangerous?: boolean
  onConfirm: () => Promise<unknown>
}

type Props = Question & {
  trigger?: ReactNode
  /** Where something else opens it, such as an item of a menu. */
  open?: boolean
  onOpenChange?: (open: boolean) => void
  title: string
}

export function Confirm({ title, trigger, open, onOpenChange, ...question }: Props) {
  const [isOpenHere, setOpenHere] = useState(false)
  const setOpen = onOpenChange ?? setOpenHere
  return (
    <Dialog title={title} trigger={trigger} open={open ?? isOpenHere} onOpenChange={setOpen}>
      <QuestionForm {...question} onDone={() => setOpen(false)} />
    </Dialog>
  )
}

function QuestionForm({ children, action, isDangerous = false, onConfirm, onDone }: Question & { onDone: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  useHeldOpen(isBusy)
  const confirm = async () => {
    setBusy(true)
    setError(null)
    try {
      await holdingReloads(onConfirm)
      onDone()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <>
      <div className="text-soft">{children}</div>
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        <DialogClose>
          <Button>Cancel</Button>
        </DialogClose>
        <Button variant={isDangerous ? 'danger' : 'primary'} disabled={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </div>
    </>
  )
}
