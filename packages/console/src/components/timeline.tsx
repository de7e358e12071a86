// Activity, newest first, in plain words.

import type { ReactNode } from 'react'
import { spanText, TimeAgo } from './time.tsx'
import type { Tone } from './ui/badge.tsx'

export type Happening = {
  id: string
  at: string
  words: ReactNode
  tone?: Tone
  detail?: ReactNode
  /** How long it took since the one before, in milliseconds. */
  afterMs?: number | undefined
}

const dots: Readonly<Record<Tone, string>> = {
  good: 'bg-good',
  busy: 'bg-busy',
  warn: 'bg-warn',
  bad: 'bg-bad',
  idle: 'bg-line-strong',
  off: 'bg-line-strong',
}

export function Timeline({ happenings }: { happenings: readonly Happening[] }) {
  return (
    <ol className="grid">
      {happenings.map(({ id, at, words, tone = 'idle', detail, afterMs }) => (
        <li key={id} className="relative grid gap-0.5 border-line border-l pb-4 pl-5 last:pb-0">
          <span aria-hidden="true" className={`-left-[5px] absolute top-1.5 size-2.5 rounded-full ${dots[tone]}`} />
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className="min-w-0 break-words">
              {words}
              {afterMs !== undefined && (
                <span className="ml-2 whitespace-nowrap text-soft text-xs tabular-nums">after {spanText(afterMs)}</span>
              )}
            </span>
            <span className="text-soft text-xs">
              <TimeAgo at={at} />
            </span>
          </div>
          {detail !== undefined && <div className="text-soft">{detail}</div>}
        </li>
      ))}
    </ol>
  )
}
