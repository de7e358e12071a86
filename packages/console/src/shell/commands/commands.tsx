// The way to the command menu and to the list of keys: buttons, and the keys themselves. Both are loaded when they are opened.

import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useEffect, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import type { Session } from '../../session/session.ts'
import { useKeys } from '../keys.ts'
import type { NavItem } from '../nav.ts'
import { commandKeys } from './command-keys.ts'

const loadMenu = () => import('./menu.tsx').then((file) => ({ default: file.CommandMenu }))
const CommandMenu = lazy(loadMenu)
const Shortcuts = lazy(() => import('./shortcuts.tsx').then((file) => ({ default: file.Shortcuts })))

/** Later than the first page, and before somebody types into the menu. */
const loadedMs = 2_000

const OpenMenu = createContext(() => {})

type Props = { session: Session; items: readonly NavItem[]; isSandbox: boolean; children: ReactNode }

export function Commands({ session, items, isSandbox, children }: Props) {
  const [opened, open] = useState<'menu' | 'shortcuts' | null>(null)
  const navigate = useNavigate()
  const go = useCallback(
    (letter: string) => {
      const item = items.find(({ key }) => key === letter)
      if (item) void navigate({ to: item.to })
    },
    [items, navigate],
  )
  useKeys(go, open)
  useEffect(() => {
    const timer = setTimeout(() => loadMenu().catch(() => {}), loadedMs)
    return () => clearTimeout(timer)
  }, [])
  const openMenu = useCallback(() => open('menu'), [])
  const close = () => open(null)
  return (
    <OpenMenu value={openMenu}>
      {children}
      <Suspense>
        {opened === 'menu' && <CommandMenu session={session} items={items} isSandbox={isSandbox} onClose={close} />}
        {opened === 'shortcuts' && <Shortcuts items={items} onClose={close} />}
      </Suspense>
    </OpenMenu>
  )
}

/** @param isShort an icon alone */
export function SearchButton({ isShort = false }: { isShort?: boolean }) {
  const openMenu = useContext(OpenMenu)
  if (isShort)
    return (
      <Button variant="ghost" size="icon" aria-label="Search" onClick={openMenu}>
        <Search />
      </Button>
    )
  return (
    <Button className="w-full justify-start font-normal text-soft" onClick={openMenu}>
      <Search />
      <span className="flex-1 text-left">Search</span>
      <span className="text-xs">{commandKeys.join(' ')}</span>
    </Button>
  )
}
