// The frame of every page: navigation, current session, sign-out.

import { getRouteApi, Link, Outlet, useMatchRoute, useNavigate } from '@tanstack/react-router'
import { BookOpen, LogOut, Menu as MenuIcon, Moon, Sun, SunMoon } from 'lucide-react'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { LiveBadge } from '../components/live-badge.tsx'
import { Badge } from '../components/ui/badge.tsx'
import { Button } from '../components/ui/button.tsx'
import { cn } from '../components/ui/cn.ts'
import { startLive } from '../session/live.ts'
import { type ConsoleConfig, may, type Session, signOut } from '../session/session.ts'
import { Commands, SearchButton } from './commands/commands.tsx'
import { Mark } from './mark.tsx'
import { businessNav, type NavItem, operatorNav } from './nav.ts'
import { setTheme, type Theme, useTheme } from './theme.ts'

const AccountMenu = lazy(() => import('./staff/account-menu.tsx').then((file) => ({ default: file.AccountMenu })))

const root = getRouteApi('__root__')
const business = getRouteApi('/business')
const operator = getRouteApi('/operator')

export function BusinessShell() {
  return <Shell session={business.useRouteContext().session} config={root.useLoaderData()} />
}

export function OperatorShell() {
  return <Shell session={operator.useRouteContext().session} config={root.useLoaderData()} />
}

type Props = { session: Session; config: ConsoleConfig }

function Shell({ session, config }: Props) {
  const [isOpen, setOpen] = useState(false)
  const items = useMemo(() => itemsOf(session, config), [session, config])
  const isFollowing = session.role === 'business' && may(session, 'events:read')
  useEffect(() => (isFollowing ? startLive() : undefined), [isFollowing])
  return (
    <Commands session={session} items={items} isSandbox={config.isSandbox}>
      <div className="min-h-dvh lg:grid lg:grid-cols-[14rem_1fr] print:block">
        <a
          href="#main"
          className="sr-only z-50 rounded-md bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        >
          Skip to content
        </a>
        <header className="print:hidden sticky top-0 z-30 flex h-14 items-center gap-2 border-line border-b bg-surface px-4 lg:hidden">
          <Button
            variant="ghost"
            size="icon"
            aria-label={isOpen ? 'Close navigation' : 'Open navigation'}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <MenuIcon />
          </Button>
          <span className="min-w-0 flex-1 truncate font-semibold">{session.name ?? 'Operator'}</span>
          <Mode session={session} />
          <SearchButton isShort />
          <LiveBadge />
        </header>
        <aside
          className={cn(
            'print:hidden border-line border-r bg-surface lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col',
            isOpen ? 'flex flex-col border-b' : 'hidden',
          )}
        >
          <div className="hidden items-center gap-2.5 px-4 pt-4 pb-3 lg:flex">
            <Mark />
            <div className="min-w-0">
              <p className="truncate font-semibold" title={session.name ?? undefined}>
                {session.name ?? 'Operator'}
              </p>
              <Mode session={session} />
            </div>
          </div>
          <div className="hidden px-2 pb-1 lg:block">
            <SearchButton />
          </div>
          {/* A click on a link of the navigation closes it on a phone. */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links in it are reached by the keyboard */}
          <nav
            aria-label="Main"
            className="grid content-start gap-0.5 overflow-y-auto p-2 lg:flex-1"
            onClick={() => setOpen(false)}
          >
            {items.map((item) => (
              <Entry key={item.to} item={item} session={session} />
            ))}
          </nav>
          <div className="border-line border-t p-2">
            <div className="hidden pt-1 pb-1.5 pl-2.5 not-empty:lg:block">
              <LiveBadge />
            </div>
            {session.staff !== null && (
              <Suspense fallback={<div className="h-11" />}>
                <AccountMenu session={session} staff={session.staff} />
              </Suspense>
            )}
            <div className="flex items-center">
              <Button asChild variant="ghost" size="sm">
                <a href="/docs/">
                  <BookOpen /> Docs
                </a>
              </Button>
              <span className="flex-1" />
              <Ways mayLeave={session.staff === null} />
            </div>
          </div>
        </aside>
        <main id="main" className="min-w-0">
          <Outlet />
        </main>
      </div>
    </Commands>
  )
}

function itemsOf(session: Session, config: ConsoleConfig): readonly NavItem[] {
  if (session.role === 'operator') return operatorNav
  return businessNav.filter(
    ({ scope, sandboxOnly }) =>
      (scope === undefined || may(session, scope)) && (sandboxOnly === undefined || config.isSandbox),
  )
}

function Entry({ item, session }: { item: NavItem; session: Session }) {
  const { to, label, icon: Icon, children } = item
  const match = useMatchRoute()
  const isHere = match({ to, fuzzy: to !== '/' && to !== '/operator' }) !== false
  const classes = 'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-soft hover:bg-sunken hover:text-ink'
  const parts = children?.filter(({ scope }) => scope === undefined || may(session, scope)) ?? []
  return (
    <>
      <Link
        to={to}
        className={cn(classes, isHere && 'bg-accent-soft font-medium text-ink')}
        {...(isHere && { 'aria-current': 'page' })}
      >
        <Icon aria-hidden="true" className="size-4" />
        {label}
      </Link>
      {isHere &&
        parts.map((part) => (
          <Link
            key={part.to}
            to={part.to}
            activeOptions={{ exact: part.to === to }}
            className={cn(classes, 'py-1 pl-9 text-[13px]')}
            activeProps={{ className: 'text-ink! font-semibold' }}
          >
            {part.label}
          </Link>
        ))}
    </>
  )
}

function Mode({ session }: { session: Session }) {
  return session.mode === 'live' ? <Badge tone="good">Live</Badge> : <Badge tone="warn">Sandbox</Badge>
}

const themes: readonly (readonly [Theme, string, typeof Sun])[] = [
  ['system', 'as the system', SunMoon],
  ['light', 'light', Sun],
  ['dark', 'dark', Moon],
]

function Ways({ mayLeave }: { mayLeave: boolean }) {
  const theme = useTheme()
  const navigate = useNavigate()
  const at = Math.max(
    0,
    themes.findIndex(([name]) => name === theme),
  )
  const [, words = '', Icon = Sun] = themes[at] ?? []
  const [next = 'system'] = themes[(at + 1) % themes.length] ?? []
  const leave = async () => {
    await signOut()
    await navigate({ to: '/sign-in' })
  }
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Theme: ${words}. Change`}
        title={`Theme: ${words}`}
        onClick={() => setTheme(next)}
      >
        <Icon />
      </Button>
      {mayLeave && (
        <Button variant="ghost" size="icon" aria-label="Sign out" title="Sign out" onClick={() => void leave()}>
          <LogOut />
        </Button>
      )}
    </>
  )
}
