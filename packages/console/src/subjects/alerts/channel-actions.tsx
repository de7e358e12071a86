// Actions on an alert channel: send a test, edit, pause, delete.

import type { AlertChannel } from '@causeway/sdk'
import { useMutation } from '@tanstack/react-query'
import { Ellipsis, Pause, Pencil, Play, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Confirm } from '../../components/dialogs/confirm.tsx'
import { Skeleton, titleOf } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/ui/menu.tsx'
import type { Session } from '../../session/session.ts'
import { changeChannel, deleteChannel } from './queries.ts'
import { SendTest } from './send-test.tsx'

const ChannelForm = lazy(() => import('./channel-form.tsx').then((file) => ({ default: file.ChannelForm })))

type Props = { channel: AlertChannel; role: Session['role'] }

export function ChannelActions({ channel, role }: Props) {
  const { id, name, status } = channel
  const [opened, open] = useState<'edit' | 'delete' | null>(null)
  const toggle = useMutation({
    mutationFn: () => changeChannel(role, id, { status: status === 'enabled' ? 'paused' : 'enabled' }),
    onError: (failure) => toast.error(titleOf(failure)),
  })
  const close = (isOpen: boolean) => !isOpen && open(null)
  return (
    <span className="flex flex-wrap items-center gap-1.5 rows:flex-nowrap rows:justify-end">
      <SendTest channel={channel} role={role} />
      <Menu
        trigger={
          <Button variant="ghost" size="sm" className="px-1.5" aria-label={`More about the channel ${name}`}>
            <Ellipsis />
          </Button>
        }
      >
        <MenuItem onSelect={() => open('edit')}>
          <Pencil /> Edit…
        </MenuItem>
        <MenuItem disabled={toggle.isPending} onSelect={() => toggle.mutate()}>
          {status === 'enabled' ? <Pause /> : <Play />} {status === 'enabled' ? 'Pause' : 'Enable'}
        </MenuItem>
        <MenuSeparator />
        <MenuItem className="text-bad" onSelect={() => open('delete')}>
          <Trash2 /> Delete…
        </MenuItem>
      </Menu>
      {opened === 'edit' && (
        <Dialog title="Edit channel" open onOpenChange={close}>
          <Suspense fallback={<Skeleton lines={6} />}>
            <ChannelForm
              channel={channel}
              role={role}
              action="Save"
              onSubmit={async (body) => {
                await changeChannel(role, id, body)
                open(null)
              }}
            />
          </Suspense>
        </Dialog>
      )}
      <Confirm
        title={`Delete channel “${name}”?`}
        action="Delete channel"
        isDangerous
        open={opened === 'delete'}
        onOpenChange={close}
        onConfirm={() => deleteChannel(role, id)}
      >
        The channel gets no more alerts, and its pending messages are canceled. Its messages stay in the log. You cannot
        undo this.
      </Confirm>
    </span>
  )
}
