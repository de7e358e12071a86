// Keys that lead somewhere: `/` to the search of the page, `g` and a letter to a page.

import { useEffect } from 'react'

const pauseMs = 1_200

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** @param go called with the letter that followed `g` */
export function useKeys(go: (letter: string) => void): void {
  useEffect(() => {
    let until = 0
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return
      if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('input[data-search]')
        if (search === null) return
        event.preventDefault()
        search.focus()
        search.select()
      } else if (event.timeStamp < until) {
        until = 0
        go(event.key)
      } else if (event.key === 'g') until = event.timeStamp + pauseMs
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [go])
}
