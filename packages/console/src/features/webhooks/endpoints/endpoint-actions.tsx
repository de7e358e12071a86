// Actions on an endpoint.

import type { WebhookEndpoint } from '@causeway/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, History, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Confirm } from '../../../components/dialogs/confirm.tsx'
import { Skeleton, titleOf } from '../../../components/states.tsx'
import { UrlText } from '../../../components/texts/url-text.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog } from '../../../components/ui/dialog.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../components/ui/menu.tsx'
import { changeEndpoint, deleteEndpoint } from '../queries.ts'
import { RotateSecret } from './rotate-secret.tsx'

const EndpointForm = lazy(() => import('./endpoint-form.tsx').then((file) => ({ default: file.EndpointForm })))
const TestForm = lazy(() => import('./test-form.tsx').then((file) => ({ default: file.TestForm })))
const ReplayForm = lazy(() => import('../replays/replay-form.tsx').then((file) => ({ default: file.ReplayForm })))

type Opened = 'edit' | 'rotate' | 'replay' | 'delete' | null

export function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [opened, open] = useState<Opened>(null)
  return (
    <>
      <SendTest endpoint={endpoint} />
      <Switch endpoint={endpoint} />
      <Menu
        trigger={
          <Button size="icon" aria-label="More actions">
            <Ellipsis />
          </Button>
        }
      >
        <MenuItem onSelect={() => open('edit')}>
          <Pencil /> Edit…
        </MenuItem>
        <MenuItem onSelect={() => open('rotate')}>
          <KeyRound /> Rotate secret…
        </MenuItem>
        <MenuItem onSelect={() => open('replay')}>
          <History /> Replay a time range…
        </MenuItem>
        <MenuSeparator />
        <MenuItem className="text-bad" onSelect={() => open('delete')}>
          <Trash2 /> Delete…
        </MenuItem>
      </Menu>
      <Opened endpoint={endpoint} opened={opened} onClose={() => open(null)} />
    </>
  )
}

type OpenedProps = { endpoint: WebhookEndpoint; opened: Opened; onClose: () => void }

function Opened({ endpoint, opened, onClose }: OpenedProps) {
  const { id, webhookUrl } = endpoint
  const navigate = useNavigate()
  if (opened === 'edit')
    return (
      <Window title="Edit endpoint" description="Event type changes apply to new events only." onClose={onClose}>
        <EndpointForm
          endpoint={endpoint}
          action="Save"
          onSubmit={async (settings) => {
            const { warnings } = await changeEndpoint(id, settings)
            for (const { message } of warnings ?? []) toast.error(message)
            onClose()
          }}
        />
      </Window>
    )
  if (opened === 'rotate') return <RotateSecret endpointId={id} onClose={onClose} />
  if (opened === 'replay')
    return (
      <Window
        title="Replay a time range"
        description="Resends events of a time range to this endpoint, in order and in the background."
        onClose={onClose}
      >
        <ReplayForm endpointId={id} />
      </Window>
    )
  return (
    <Confirm
      title="Delete endpoint?"
      action="Delete endpoint"
      isDangerous
      open={opened === 'delete'}
      onOpenChange={(next) => !next && onClose()}
      onConfirm={async () => {
        await deleteEndpoint(id)
        await navigate({ to: '/webhooks' })
      }}
    >
      <p>
        <span className="font-medium text-ink">
          <UrlText url={webhookUrl} />
        </span>{' '}
        receives no more events. Its pending deliveries are canceled. The events are kept.
      </p>
    </Confirm>
  )
}

type WindowProps = { title: string; description: string; onClose: () => void; children: ReactNode }

function Window({ title, description, onClose, children }: WindowProps) {
  return (
    <Dialog title={title} description={description} open onOpenChange={(next) => !next && onClose()}>
      <Suspense fallback={<Skeleton lines={5} />}>{children}</Suspense>
    </Dialog>
  )
}

function SendTest({ endpoint: { id } }: { endpoint: WebhookEndpoint }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog
      title="Send test event"
      description='Sent to this endpoint only, whatever it subscribes to. The event contains "test": true.'
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button>
          <Send /> Send test
        </Button>
      }
    >
      <Suspense fallback={<Skeleton lines={3} />}>
        <TestForm endpointId={id} />
      </Suspense>
    </Dialog>
  )
}

function Switch({ endpoint: { id, status } }: { endpoint: WebhookEndpoint }) {
  const isOn = status === 'enabled'
  const change = useMutation({
    mutationFn: () => changeEndpoint(id, { status: isOn ? 'paused' : 'enabled' }),
    onError: (failure) => toast.error(titleOf(failure)),
  })
  return (
    <Button variant={isOn ? 'outline' : 'primary'} disabled={change.isPending} onClick={() => change.mutate()}>
      {isOn ? <Pause /> : <Play />} {isOn ? 'Pause' : 'Enable'}
    </Button>
  )
}
