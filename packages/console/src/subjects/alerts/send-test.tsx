// Sends a test message to a channel, and shows its outcome.

import type { AlertChannel } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionForm } from '../../components/dialogs/action-form.tsx'
import { Failure } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog, DialogClose } from '../../components/ui/dialog.tsx'
import type { Session } from '../../session/session.ts'
import { testChannel, testQuery } from './queries.ts'
import { messageStates } from './words.ts'

type Props = { channel: AlertChannel; role: Session['role'] }

export function SendTest({ channel, role }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [messageId, setMessageId] = useState<string | null>(null)
  const change = (next: boolean) => {
    setOpen(next)
    setMessageId(null)
  }
  return (
    <Dialog
      title="Send test"
      open={isOpen}
      onOpenChange={change}
      trigger={
        <Button size="sm" aria-label={`Send test to ${channel.name}`}>
          Send test
        </Button>
      }
    >
      {messageId === null ? (
        <ActionForm action="Send test" onSubmit={async () => setMessageId(await testChannel(role, channel.id))}>
          <p className="text-soft">
            Sends a test message to <span className="wrap-anywhere font-medium text-ink">{targetOf(channel)}</span>.
            {channel.status === 'paused' && ' The channel is paused: only the test is sent.'}
          </p>
        </ActionForm>
      ) : (
        <Outcome channelId={channel.id} role={role} messageId={messageId} />
      )}
    </Dialog>
  )
}

const targetOf = ({ emails, urlOrigin }: AlertChannel): string => urlOrigin ?? emails.join(', ')

function Outcome({ channelId, role, messageId }: { channelId: string; role: Session['role']; messageId: string }) {
  const { data: message, error } = useQuery(testQuery(role, channelId, messageId))
  const [tone, words] = messageStates[message?.state ?? 'pending']
  return (
    <>
      <div role="status" className="grid gap-2">
        <p>
          <Badge tone={tone}>{words}</Badge>
        </p>
        <p className="wrap-anywhere text-soft">{detailOf(message)}</p>
      </div>
      {error !== null && <Failure error={error} />}
      <div className="flex justify-end">
        <DialogClose>
          <Button variant="primary">Close</Button>
        </DialogClose>
      </div>
    </>
  )
}

type Sent = { state: 'pending' | 'sent' | 'failed'; lastOutcome: string | null }

function detailOf(message: Sent | null | undefined): string {
  const outcome = message?.lastOutcome
  if (message == null || outcome == null) return 'The message is on its way.'
  if (message.state === 'pending') return `The last attempt failed: ${outcome}. Causeway retries for 24 hours.`
  return `Outcome: ${outcome}`
}
