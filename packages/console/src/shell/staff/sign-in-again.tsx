// Asks a staff member to sign in again. Nothing that was rejected is sent afterwards: the reader repeats the action.

import { Button } from '../../components/ui/button.tsx'
import { Dialog, DialogClose } from '../../components/ui/dialog.tsx'

type Props = { onSignIn: () => void; onClose: () => void }

export function SignInAgain({ onSignIn, onClose }: Props) {
  return (
    <Dialog title="Sign in again to continue" open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <p className="text-soft">
        For your security, this action requires a recent sign-in. Nothing was changed. After you sign in, you return to
        this page: fill in what you entered, and repeat the action.
      </p>
      <div className="flex justify-end gap-2">
        <DialogClose>
          <Button>Cancel</Button>
        </DialogClose>
        <Button variant="primary" onClick={onSignIn}>
          Sign in again
        </Button>
      </div>
    </Dialog>
  )
}
