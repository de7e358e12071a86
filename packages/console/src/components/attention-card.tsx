// Cases that need attention: each with its state, the action, and a link to its page.

import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Failure, Skeleton } from './states.tsx'
import { TimeAgo } from './time.tsx'
import { Badge, type Tone } from './ui/badge.tsx'
import { Card } from './ui/card.tsx'
import { type Place, PlaceLink } from './ui/place-link.tsx'

export type Case = Place & {
  id: string
  tone: Tone
  state: string
  who: ReactNode
  advice: ReactNode
  /** Null where nobody knows. */
  since: string | null
}

/** Leads to the cases that are not shown. */
export type More = Place & { words: string }

type Props = {
  cases: readonly Case[]
  more: readonly More[]
  error: Error | null
  onRetry: () => void
  isPending: boolean
}

/** @param cases the most severe first */
export function AttentionCard({ cases, more, error, onRetry, isPending }: Props) {
  return (
    <Card title="Needs attention" flush>
      {error !== null && <Failure error={error} onRetry={onRetry} className="m-4" />}
      {cases.length > 0 && (
        <ul>
          {cases.map((one) => (
            <CaseRow key={one.id} one={one} />
          ))}
          {more.map(({ words, ...place }) => (
            <li key={words} className="border-line border-b px-4 py-2 last:border-0">
              <PlaceLink {...place}>{words}</PlaceLink>
            </li>
          ))}
        </ul>
      )}
      {cases.length === 0 && error === null && isPending && <Skeleton className="p-4" lines={2} />}
      {cases.length === 0 && error === null && !isPending && (
        <p className="flex items-center gap-2 px-4 py-4">
          <CircleCheck aria-hidden="true" className="size-5 text-good" />
          Nothing needs attention.
        </p>
      )}
    </Card>
  )
}

function CaseRow({ one: { id: _, tone, state, who, advice, since, ...place } }: { one: Case }) {
  return (
    <li className="relative grid gap-x-4 gap-y-1 border-line border-b px-4 py-2.5 last:border-0 hover:bg-sunken/60 sm:grid-cols-[9.5rem_minmax(0,13rem)_minmax(0,1fr)_auto] sm:items-center">
      <span>
        <Badge tone={tone}>{state}</Badge>
      </span>
      <PlaceLink {...place} className="min-w-0 break-words font-medium after:absolute after:inset-0 hover:underline">
        {who}
      </PlaceLink>
      <span className="min-w-0 break-words text-soft">{advice}</span>
      {since !== null && (
        <span className="text-soft text-xs">
          <TimeAgo at={since} />
        </span>
      )}
    </li>
  )
}
