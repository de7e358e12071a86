// Keys that lead somewhere: Ctrl-K or Cmd-K to the command menu, `?` to the list of keys, `/` to the search of the page, `g` and a
// letter to a page.

import { useEffect } from 'react'

const pauseMs = 1_200

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

function focusOn(search: HTMLInputElement): void {
  search.focus()
  search.select()
}

/** @param go called with the letter that followed `g` */
export function useKeys(go: (letter: string) => void, open: (what: 'menu' | 'shortcuts') => void): void {
  useEffect(() => {
    let until = 0
    const onKey = (event: KeyboardEvent): void => {
      if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault() // the browser's own: its address bar
        open('menu')
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '?') open('shortcuts')
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('input[data-search]')
        if (search === null) return
        event.preventDefault()
        const closed = search.closest('[hidden]')
        if (closed === null) focusOn(search)
        else {
          document.querySelector<HTMLButtonElement>(`[aria-controls="${closed.id}"]`)?.click()
          requestAnimationFrame(() => focusOn(search))
        }
      } else if (event.timeStamp < until) {
        until = 0
        go(event.key)
      } else if (event.key === 'g') until = event.timeStamp + pauseMs
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [go, open])
}
