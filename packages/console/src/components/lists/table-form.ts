// The form in which a table fits its box: all columns, the important ones, or a card per row. The content of the cells
// decides, not the width of the screen.

import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

const forms = ['full', 'short', 'cards'] as const
export type TableForm = (typeof forms)[number]

/**
 * Tries the forms from the widest on, before anything is painted, whenever the content or the width of the box changes.
 * @param content what the table shows
 * @param cardsBelowPx a table that fits by chance is harder to read in a narrower box than cards
 */
export function useTableForm(box: RefObject<HTMLElement | null>, content: unknown, cardsBelowPx: number): TableForm {
  const [at, setAt] = useState(0)
  const neededPx = useRef<number[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other content needs another width
  useLayoutEffect(() => {
    neededPx.current = []
    setAt(0)
  }, [content])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was drawn is measured
  useLayoutEffect(() => {
    const table = box.current?.querySelector('table')
    if (!box.current || !table) return
    const { current } = box
    const fit = (): void => {
      const width = current.clientWidth
      const isTooWide = table.offsetWidth > width || width < cardsBelowPx
      if (isTooWide && at < forms.length - 1) neededPx.current[at] = Math.max(table.offsetWidth, cardsBelowPx)
      const wider = neededPx.current.findIndex((needed) => needed <= width)
      if (isTooWide && at < forms.length - 1) setAt(at + 1)
      else if (wider >= 0 && wider < at) setAt(wider)
    }
    fit()
    // Not within the observer's own turn: a change of form is a change of size.
    const observer = new ResizeObserver(() => requestAnimationFrame(fit))
    observer.observe(current)
    observer.observe(table)
    return () => observer.disconnect()
  }, [at, content, cardsBelowPx])
  return forms[at] ?? 'cards'
}
