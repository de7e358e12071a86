// The deliveries in an inbox.

import type { SandboxInbox } from '@causeway/sdk'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../components/data-table.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Badge, type Tone } from '../../components/ui/badge.tsx'
import { deliveryPlace } from './places.ts'

export type Message = SandboxInbox['messages'][number]

const success = 200
const successEnd = 300

function answerOf({ status, duplicate }: Message): readonly [Tone, string] {
  if (status === null) return ['warn', 'No response']
  if (status < success || status >= successEnd) return ['bad', `${status}`]
  return duplicate ? ['idle', `${status} OK, duplicate`] : ['good', `${status} OK`]
}

const signatures: readonly (readonly [verified: boolean | null, tone: Tone, words: string])[] = [
  [true, 'good', 'Verified'],
  [false, 'bad', 'Invalid'],
  [null, 'idle', 'Not checked'],
]

export const messageColumns: readonly Column<Message>[] = [
  {
    id: 'event',
    header: 'Event',
    cell: ({ eventType, eventId, deliveryId }) => (
      <Link to={deliveryPlace(deliveryId)} className="font-medium after:absolute after:inset-0 hover:underline">
        {eventType ?? eventId}
      </Link>
    ),
  },
  { id: 'user', header: 'End-user', cell: ({ externalUserId }) => externalUserId ?? '–' },
  {
    id: 'answer',
    header: 'Response',
    cell: (message) => {
      const [tone, words] = answerOf(message)
      return <Badge tone={tone}>{words}</Badge>
    },
  },
  {
    id: 'signature',
    header: 'Signature',
    wideOnly: true,
    cell: ({ verified }) => {
      const [, tone, words] = signatures.find(([value]) => value === verified) ?? [null, 'idle', 'Not checked']
      return <Badge tone={tone}>{words}</Badge>
    },
  },
  { id: 'attempt', header: 'Attempt', align: 'right', wideOnly: true, cell: ({ attempt }) => attempt ?? '–' },
  { id: 'time', header: 'Received', align: 'right', cell: ({ receivedAt }) => <TimeAgo at={receivedAt} /> },
]
