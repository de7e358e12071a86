// Creates an alert channel. The signing secret of a webhook is shown once.

import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useOpened } from '../../components/dialogs/opened.ts'
import { SecretOnce } from '../../components/dialogs/secret-once.tsx'
import { Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import type { Session } from '../../session/session.ts'
import { createChannel, type NewChannel } from './queries.ts'

const ChannelForm = lazy(() => import('./channel-form.tsx').then((file) => ({ default: file.ChannelForm })))

export function CreateChannel({ role }: { role: Session['role'] }) {
  const [isOpen, setOpen] = useOpened('create')
  const [secret, setSecret] = useState<string | null>(null)
  const leave = () => {
    setOpen(false)
    setSecret(null)
  }
  const create = async (settings: Omit<NewChannel, 'type'>, type: NewChannel['type']) => {
    const made = await createChannel(role, { type, ...settings })
    if (made !== null) return setSecret(made)
    leave()
    toast.success('Channel created. Send a test to check it.')
  }
  return (
    <Dialog
      title={secret === null ? 'Create channel' : 'Channel created'}
      description={
        secret === null
          ? 'The channel receives new alerts, and all alerts that are open now.'
          : 'Your receiver checks each request with this secret.'
      }
      open={isOpen}
      // A secret that is shown once must not be lost by a click outside.
      onOpenChange={(next) => secret === null && setOpen(next)}
      trigger={
        <Button variant="primary">
          <Plus /> Create channel
        </Button>
      }
    >
      {secret === null ? (
        <Suspense fallback={<Skeleton lines={6} />}>
          <ChannelForm role={role} action="Create channel" onSubmit={create} />
        </Suspense>
      ) : (
        <SecretOnce name="signing secret" secret={secret} onDone={leave} />
      )}
    </Dialog>
  )
}
