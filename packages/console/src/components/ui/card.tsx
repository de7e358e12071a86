// A part of a page, in a frame.

import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn.ts'

type Props = Omit<ComponentProps<'section'>, 'title'> & { title?: ReactNode; actions?: ReactNode; flush?: boolean }

/** A part of a page with a heading. `flush` removes the padding of the content, for example for a table. */
export function Card({ title, actions, flush = false, className, children, ...props }: Props) {
  return (
    <section className={cn('rounded-lg border border-line bg-surface shadow-xs', className)} {...props}>
      {title !== undefined && (
        <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b px-4 py-2">
          <h2 className="font-semibold">{title}</h2>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div>}
        </header>
      )}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  )
}
