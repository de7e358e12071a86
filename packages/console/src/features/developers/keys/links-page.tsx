// One-time links into the console, for the staff of the business.

import type { ApiKeyScope, ListedConsoleLink } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Column } from '../../../components/data-table.tsx'
import { Confirm } from '../../../components/dialogs/confirm.tsx'
import { SecretDialog } from '../../../components/dialogs/secret-dialog.tsx'
import { WithCreated } from '../../../components/dialogs/with-created.tsx'
import { ListCard } from '../../../components/lists/list-card.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty } from '../../../components/states.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { Badge, type Tone } from '../../../components/ui/badge.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { SelectField } from '../../../components/ui/form.tsx'
import { present } from '../../../search.ts'
import { may, type Session } from '../../../session/session.ts'
import { shortId, useActorNames } from '../../../subjects/logs/actors.ts'
import { allScopes, ScopePicker, scopesColumn } from '../../../subjects/scopes.tsx'
import { linksQuery, makeLink, revokeLink } from '../queries.ts'

const route = getRouteApi('/business/developers/links')

export function LinksPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  const links = useQuery(linksQuery(present(search)))
  const nameOf = useActorNames()
  const mayCreate = may(session, 'api_keys:write') && session.staff === null
  return (
    <Page
      title="Console links"
      intro="A link signs one person in to this console, once, without a key. The first browser that opens it is signed in."
      actions={mayCreate && <NewLink session={session} />}
    >
      <ListCard
        query={links}
        cursor={search.cursor}
        onPage={(cursor) => void navigate({ search: present({ cursor }) })}
        caption="Console links, newest first"
        columns={linkColumns(session, nameOf)}
        idOf={({ id }) => id}
        empty={
          <Empty
            title="No console links yet"
            command={`causeway console-links create --data '{"scopes":["end_users:read"]}'`}
          >
            {mayCreate
              ? 'Create a link for a colleague, with the scopes of the task. Links stay in this list for one day after they expire.'
              : 'Links stay in this list for one day after they expire. To create a link, sign in with a key that has api_keys:write.'}
          </Empty>
        }
      />
    </Page>
  )
}

type LinkState = 'waiting' | 'opened' | 'revoked' | 'expired'

function stateOf({ usedAt, revokedAt, expiresAt }: ListedConsoleLink): LinkState {
  if (revokedAt !== null) return 'revoked'
  if (usedAt !== null) return 'opened'
  return Date.parse(expiresAt) > Date.now() ? 'waiting' : 'expired'
}

const states: Readonly<Record<LinkState, readonly [Tone, string]>> = {
  waiting: ['busy', 'Not opened yet'],
  opened: ['good', 'Opened'],
  revoked: ['off', 'Revoked'],
  expired: ['off', 'Expired'],
}

function StateBadge({ link }: { link: ListedConsoleLink }) {
  const [tone, words] = states[stateOf(link)]
  return <Badge tone={tone}>{words}</Badge>
}

const linkColumns = (session: Session, nameOf: (id: string) => string): readonly Column<ListedConsoleLink>[] => [
  {
    id: 'id',
    header: 'Link',
    cell: ({ id }) => (
      <code className="font-mono text-xs" title={id}>
        {shortId(id.replace('console_link_', ''))}
      </code>
    ),
  },
  { id: 'state', header: 'Status', cell: (link) => <StateBadge link={link} /> },
  scopesColumn,
  {
    id: 'created',
    header: 'Created',
    cell: ({ createdAt, apiKeyId }) => (
      <span className="grid">
        <TimeAgo at={createdAt} />
        <span className="max-w-40 truncate text-soft text-xs" title={apiKeyId}>
          by {nameOf(apiKeyId)}
        </span>
      </span>
    ),
  },
  {
    id: 'until',
    header: 'Expires',
    cell: (link) =>
      stateOf(link) === 'revoked' ? <span className="text-soft">–</span> : <TimeAgo at={link.expiresAt} />,
    wideOnly: true,
  },
  { id: 'used', header: 'Opened', cell: ({ usedAt }) => <TimeAgo at={usedAt} />, wideOnly: true },
  {
    id: 'actions',
    header: 'Actions',
    align: 'right',
    className: 'rows:w-px rows:whitespace-nowrap',
    cell: (link) => <Revoke link={link} session={session} />,
  },
]

function Revoke({ link, session }: { link: ListedConsoleLink; session: Session }) {
  const [withCreated, setWithCreated] = useState(false)
  const isOpen = ['waiting', 'opened'].includes(stateOf(link))
  if (!isOpen || !may(session, 'api_keys:write') || !link.scopes.every((scope) => may(session, scope)))
    return <span className="text-soft">–</span>
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger">
          Revoke
        </Button>
      }
      title="Revoke link?"
      action="Revoke link"
      isDangerous
      onConfirm={() => revokeLink(link.id, withCreated)}
    >
      <div className="grid gap-2">
        <p>The link stops working, and its session is signed out at the next request.</p>
        <WithCreated isOn={withCreated} onChange={setWithCreated} />
      </div>
    </Confirm>
  )
}

const lifetimes: readonly (readonly [minutes: number, words: string])[] = [
  [10, '10 minutes'],
  [30, '30 minutes'],
  [60, '1 hour'],
]

function NewLink({ session }: { session: Session }) {
  const offered = allScopes.filter((scope) => session.scopes.includes(scope))
  const [scopes, setScopes] = useState<ApiKeyScope[]>(offered.filter((scope) => scope.endsWith(':read')))
  const [minutes, setMinutes] = useState(10)
  return (
    <SecretDialog
      trigger={
        <Button variant="primary">
          <Plus /> Create console link
        </Button>
      }
      openedBy="create"
      title="Create console link"
      name="link"
      action="Create link"
      isReady={scopes.length > 0}
      onMake={async () => (await makeLink(scopes, minutes)).url}
      afterwards={<p className="text-soft">Send the link to one person. It expires in {minutes} minutes.</p>}
    >
      <ScopePicker offered={offered} chosen={scopes} onChange={setScopes} />
      {scopes.includes('api_keys:write') && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          With api_keys:write, the person can create keys and links that outlive this session.
        </p>
      )}
      <SelectField
        label="Expires after"
        hint="The session ends after 30 minutes without a request, and after 12 hours in all."
        options={lifetimes}
        value={minutes}
        onChange={setMinutes}
      />
    </SecretDialog>
  )
}
