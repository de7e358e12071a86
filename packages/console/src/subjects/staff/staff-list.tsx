// The staff who have signed in with a company account, and the end of their sessions.

import type { StaffMember } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import type { Column } from '../../components/data-table.tsx'
import { Confirm } from '../../components/dialogs/confirm.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { Empty } from '../../components/states.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { present } from '../../search.ts'
import { may, mayOperate, type Session } from '../../session/session.ts'
import { signOutStaff, staffQuery } from './queries.ts'

type Props = {
  session: Session
  cursor: string | undefined
  onPage: (cursor: string | undefined) => void
  /** Above the list, where the page has another part. */
  title?: string
}

export function StaffList({ session, cursor, onPage, title }: Props) {
  const staff = useQuery(staffQuery(session.role, present({ cursor })))
  return (
    <ListCard
      query={staff}
      {...(title !== undefined && { title })}
      cursor={cursor}
      onPage={onPage}
      caption="Staff, newest first"
      columns={staffColumns(session)}
      idOf={({ id }) => id}
      empty={
        <Empty title="No staff yet">
          People appear here after they sign in with a company account for the first time.
        </Empty>
      }
    />
  )
}

const staffColumns = (session: Session): readonly Column<StaffMember>[] => [
  {
    id: 'who',
    header: 'Name',
    cell: (member) => (
      <span className="grid gap-0.5">
        <span className="flex flex-wrap items-center gap-1.5">
          <span className="wrap-anywhere font-medium" title={member.id}>
            {nameOf(member)}
          </span>
          {member.id === session.staff?.id && <Badge tone="busy">You</Badge>}
        </span>
        {member.email !== null && member.email !== nameOf(member) && (
          <span className="wrap-anywhere text-soft text-xs">{member.email}</span>
        )}
      </span>
    ),
  },
  {
    id: 'roles',
    header: 'Roles',
    cell: ({ roles }) => (roles.length === 0 ? <span className="text-soft">–</span> : roles.join(', ')),
  },
  {
    id: 'issuer',
    header: 'Issuer',
    cell: ({ issuer, subject }) => (
      <span className="wrap-anywhere" title={`${issuer}, subject ${subject}`}>
        {issuer.replace(/^https?:\/\//, '')}
      </span>
    ),
    wideOnly: true,
  },
  {
    id: 'sessions',
    header: 'Sessions',
    align: 'right',
    cell: ({ sessions }) => (
      <span className="tabular-nums">{sessions >= sessionsMax ? `${sessionsMax}+` : sessions}</span>
    ),
  },
  { id: 'seen', header: 'Last seen', cell: ({ lastSeenAt }) => <TimeAgo at={lastSeenAt} /> },
  {
    id: 'created',
    header: 'First sign-in',
    cell: ({ createdAt }) => <TimeAgo at={createdAt} />,
    wideOnly: true,
  },
  {
    id: 'actions',
    header: 'Actions',
    align: 'right',
    className: 'rows:w-px rows:whitespace-nowrap',
    cell: (member) => <SignOut member={member} session={session} />,
  },
]

/** The API counts no further. */
const sessionsMax = 100

export const nameOf = ({ name, email, subject }: StaffMember): string => name ?? email ?? subject

function SignOut({ member, session }: { member: StaffMember; session: Session }) {
  const mayWrite = session.role === 'operator' ? mayOperate(session) : may(session, 'api_keys:write')
  if (!mayWrite || member.sessions === 0) return <span className="text-soft">–</span>
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger" aria-label={`Sign out everywhere: ${nameOf(member)}`}>
          Sign out everywhere
        </Button>
      }
      title={`Sign out ${nameOf(member)} everywhere?`}
      action="Sign out everywhere"
      isDangerous
      onConfirm={async () => {
        const count = await signOutStaff(session.role, member.id)
        toast.success(count === 1 ? '1 session ended.' : `${count} sessions ended.`)
      }}
    >
      <p>
        All console sessions of {member.email ?? nameOf(member)} end now. The person can sign in again. To keep them
        out, change their roles at your identity provider.
      </p>
      {member.id === session.staff?.id && (
        <p className="mt-2 rounded-md bg-warn-soft px-3 py-2 text-warn">This is you. You are signed out too.</p>
      )}
    </Confirm>
  )
}
