// States as a reader knows them.

import { Ban, Check, CircleAlert, CircleDashed, Clock, type LucideIcon, TriangleAlert } from 'lucide-react'
import { cn } from './cn.ts'

/** The meaning of a state. Each has a shape in addition to its color. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle' | 'off'

const looks: Readonly<Record<Tone, readonly [LucideIcon, string]>> = {
  good: [Check, 'bg-good-soft text-good'],
  busy: [Clock, 'bg-busy-soft text-busy'],
  warn: [TriangleAlert, 'bg-warn-soft text-warn'],
  bad: [CircleAlert, 'bg-bad-soft text-bad'],
  idle: [CircleDashed, 'bg-sunken text-soft'],
  off: [Ban, 'bg-sunken text-soft'],
}

/** A state in words, with a shape and a colour. */
export function Badge({ tone, children, className }: { tone: Tone; children: string; className?: string }) {
  const [Icon, classes] = looks[tone]
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1 whitespace-nowrap rounded-full px-2 py-0.5 font-medium text-xs',
        classes,
        className,
      )}
    >
      <Icon aria-hidden="true" className="size-3" />
      {children}
    </span>
  )
}
