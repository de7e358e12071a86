// Whether a dialog is open: by its trigger, or by its name behind the `#` of the address, to which the command menu leads.

import { useLocation, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

/** @param name undefined: the address does not open it */
export function useOpened(name: string | undefined, isOpenAtFirst = false) {
  const [isOpenHere, setOpenHere] = useState(isOpenAtFirst)
  const isNamed = useLocation({ select: ({ hash }) => hash !== '' && hash === name })
  const navigate = useNavigate()
  const setOpen = (isOpen: boolean): void => {
    setOpenHere(isOpen)
    // A secret that is shown blocks every other way out of the page.
    if (!isOpen && isNamed) void navigate({ to: '.', search: true, hash: '', replace: true, ignoreBlocker: true })
  }
  return [isOpenHere || isNamed, setOpen] as const
}
