// The command menu: searches objects, and leads to pages and to what can be created.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CornerDownRight, FileText, Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Failure } from '../../components/states.tsx'
import { CommandDialog, CommandGroup, CommandItem } from '../../components/ui/command.tsx'
import type { Session } from '../../session/session.ts'
import type { NavItem } from '../nav.ts'
import { actionsOf, fitting, type Place, pagesOf } from './actions.ts'
import { find } from './find.ts'

type Props = { session: Session; items: readonly NavItem[]; isSandbox: boolean; onClose: () => void }

const searchedMin = 2

export function CommandMenu({ session, items, isSandbox, onClose }: Props) {
  const [text, setText] = useState('')
  const navigate = useNavigate()
  const go = ({ to, hash }: { to: string; hash?: string }) => {
    onClose()
    void navigate({ to, ...(hash !== undefined && { hash }) })
  }
  const group = (title: string, places: readonly Place[], icon: typeof Plus) =>
    places.length > 0 && (
      <CommandGroup title={title}>
        {places.map((place) => (
          <CommandItem key={place.title} id={place.title} icon={icon} title={place.title} onSelect={() => go(place)} />
        ))}
      </CommandGroup>
    )
  return (
    <CommandDialog
      label="Search and commands"
      placeholder={
        session.role === 'operator' ? 'Business, page or action…' : 'ID, email, reference, hash, page or action…'
      }
      text={text}
      onType={setText}
      onClose={onClose}
    >
      <Findings session={session} text={text.trim()} onGo={go} />
      {group('Actions', fitting(actionsOf(session, isSandbox), text.trim()), Plus)}
      {group('Pages', fitting(pagesOf(items, session), text.trim()), FileText)}
    </CommandDialog>
  )
}

const typingMs = 200

/** The text once its typing pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

type FindingsProps = { session: Session; text: string; onGo: (place: { to: string }) => void }

/** Shows what was found by this very text, and nothing of an earlier one. */
function Findings({ session, text, onGo }: FindingsProps) {
  const asked = useSettled(text)
  const { data, error, refetch } = useQuery({
    queryKey: ['found', asked],
    queryFn: ({ signal }) => find(session, asked, signal),
    enabled: asked.length >= searchedMin,
    gcTime: 0,
  })
  if (text.length < searchedMin) return null
  if (asked === text && error !== null) return <Failure error={error} onRetry={() => void refetch()} className="m-2" />
  const isReady = asked === text && data !== undefined
  if (!isReady || data.length === 0)
    return (
      <p role="status" className="px-2.5 py-2 text-soft">
        {isReady ? 'No matching objects. Enter an ID or a bank reference completely.' : 'Searching…'}
      </p>
    )
  return (
    <CommandGroup title="Objects">
      {data.map((found) => (
        <CommandItem
          key={`${found.kind} ${found.id}`}
          id={`${found.kind} ${found.id}`}
          icon={CornerDownRight}
          title={
            <>
              <span className="text-soft">{found.kind}</span> {found.title}
            </>
          }
          note={found.note}
          onSelect={() => onGo(found)}
        />
      ))}
    </CommandGroup>
  )
}
