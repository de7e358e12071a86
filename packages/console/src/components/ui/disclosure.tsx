// A part of a card that is needed seldom: its title opens it.

import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

type Props = {
  title: string
  /** The count next to the title, also while closed. */
  note?: ReactNode
  isOpenAtFirst?: boolean
  children: ReactNode
}

export function Disclosure({ title, note, isOpenAtFirst = false, children }: Props) {
  return (
    <details className="group border-line border-t" open={isOpenAtFirst}>
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-2 px-4 py-3 hover:bg-sunken/60 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-soft group-open:rotate-90" />
        <h3 className="font-medium">{title}</h3>
        {note}
      </summary>
      <div className="px-4 pt-1 pb-4">{children}</div>
    </details>
  )
}
