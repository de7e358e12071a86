// The API keys of the business.

import type { ApiKey } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { DataTable, Pager } from '../../../components/data-table.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty, Failure } from '../../../components/states.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { may } from '../../../session/session.ts'
import { useActorNames } from '../key-words.tsx'
import { keysQuery } from '../queries.ts'
import { RollKey } from './key-actions.tsx'
import { keyColumns } from './key-columns.tsx'
import { NewKey } from './new-key.tsx'

const route = getRouteApi('/business/developers/keys')

export function KeysPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { session } = route.useRouteContext()
  const { data, error, refetch } = useQuery(keysQuery(search))
  const nameOf = useActorNames()
  const [rolling, setRolling] = useState<ApiKey | null>(null)
  return (
    <Page
      title="API keys"
      intro="Your services sign their requests with a key. Give each service one of its own, with no more scopes than it needs."
      actions={may(session, 'api_keys:write') && <NewKey session={session} />}
    >
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Card flush>
          <DataTable
            caption="API keys, the newest first"
            columns={keyColumns(session, nameOf, setRolling)}
            rows={data?.data}
            idOf={({ id }) => id}
            empty={
              <Empty title="No keys on this page" command="causeway api-keys issue --set name=Backend">
                Keys stay in the list when they have ended. A key is made here, by the API or at the terminal.
              </Empty>
            }
          />
          <Pager
            cursor={search.cursor}
            nextCursor={data?.nextCursor}
            onPage={(cursor) => void navigate({ search: cursor === undefined ? {} : { cursor } })}
          />
        </Card>
      )}
      {rolling && <RollKey key={rolling.id} apiKey={rolling} session={session} onClose={() => setRolling(null)} />}
    </Page>
  )
}
