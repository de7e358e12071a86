// The frame of a page: where it is, its heading, what can be done on it.

import { useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'

type Props = {
  title: string
  /** Shown in place of `title` where it needs more than text. */
  heading?: ReactNode
  /** A way up: links, from the outermost on. */
  above?: ReactNode
  intro?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** Sets the title of the document, and gives the heading the focus after a change of page. */
export function Page({ title, heading, above, intro, actions, children }: Props) {
  const ref = useRef<HTMLHeadingElement>(null)
  const path = useRouterState({ select: (state) => state.location.pathname })
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${title} · Causeway`
  }, [title])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another page
  useEffect(() => {
    if (!isFirst.current || document.activeElement?.closest('nav')) ref.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [path])
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-1 min-w-0 gap-5 p-4 lg:p-6">
      <header className="grid gap-1.5">
        {above !== undefined && <div className="flex items-center gap-1.5 text-soft text-xs print:hidden">{above}</div>}
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
          <div className="grid min-w-0 gap-1">
            <h1 ref={ref} tabIndex={-1} className="break-words font-semibold text-xl tracking-tight">
              {heading ?? title}
            </h1>
            {intro !== undefined && <div className="max-w-3xl text-soft">{intro}</div>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div>}
        </div>
      </header>
      {children}
    </div>
  )
}

/** Names and values in two columns; in a narrow box one below the other. Values that are absent are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <div className="@container">
      <dl className="grid gap-x-6 gap-y-2.5 @min-[360px]:grid-cols-[minmax(8rem,max-content)_minmax(0,1fr)]">
        {facts
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([name, value]) => (
            <div key={name} className="grid gap-0.5 @min-[360px]:contents">
              <dt className="text-soft">{name}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ))}
      </dl>
    </div>
  )
}
