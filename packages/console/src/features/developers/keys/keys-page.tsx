// The API keys of the business.

import type { ApiKey } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { ListCard } from '../../../components/lists/list-card.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty } from '../../../components/states.tsx'
import { present } from '../../../search.ts'
import { may } from '../../../session/session.ts'
import { useActorNames } from '../../../subjects/logs/actors.ts'
import { keysQuery } from '../queries.ts'
import { RollKey } from './key-actions.tsx'
import { keyColumns } from './key-columns.tsx'
import { NewKey } from './new-key.tsx'

const route = getRouteApi('/business/developers/keys')

export function KeysPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  const keys = useQuery(keysQuery(present(search)))
  const nameOf = useActorNames()
  const [rolling, setRolling] = useState<ApiKey | null>(null)
  return (
    <Page
      title="API keys"
      intro="Your services authenticate with a key. Create one key per service. Roll a key to replace it. Revoke a key to stop it immediately."
      actions={may(session, 'api_keys:write') && <NewKey session={session} />}
    >
      <ListCard
        query={keys}
        cursor={search.cursor}
        onPage={(cursor) => void navigate({ search: present({ cursor }) })}
        caption="API keys, the newest first"
        columns={keyColumns(session, nameOf, setRolling)}
        idOf={({ id }) => id}
        empty={
          <Empty title="No API keys on this page" command="causeway api-keys issue --set name=Backend">
            Expired and revoked keys stay in the list. Create keys here, with the API or the command line.
          </Empty>
        }
      />
      {rolling && <RollKey key={rolling.id} apiKey={rolling} session={session} onClose={() => setRolling(null)} />}
    </Page>
  )
}
