// A number with its name, for a first look.

import type { ReactNode } from 'react'

type Tone = 'plain' | 'warn' | 'bad'
const colours: Readonly<Record<Tone, string>> = { plain: '', warn: 'text-warn', bad: 'text-bad' }

export function Figure({ name, children, note, tone = 'plain' }: FigureProps) {
  return (
    <div className="grid content-start gap-0.5">
      <dt className="text-soft text-xs">{name}</dt>
      <dd className={`font-semibold text-lg tabular-nums ${colours[tone]}`}>{children}</dd>
      {note !== undefined && <dd className="text-soft text-xs">{note}</dd>}
    </div>
  )
}

type FigureProps = { name: string; children: ReactNode; note?: ReactNode; tone?: Tone }

export function Figures({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3 lg:grid-cols-4">{children}</dl>
}
