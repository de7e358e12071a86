// Ends a key of a business.

import type { ApiKey } from '@causeway/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../../components/dialogs/confirm.tsx'
import { WithCreated } from '../../../components/dialogs/with-created.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { endKey } from '../queries.ts'

const route = getRouteApi('/operator/businesses/$customerId')

export function EndKey({ apiKey }: { apiKey: ApiKey }) {
  const { customerId } = route.useParams()
  const [withCreated, setWithCreated] = useState(false)
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger" aria-label={`End the key ${apiKey.name}`}>
          End
        </Button>
      }
      title={`End the key “${apiKey.name}”?`}
      action="End the key"
      isDangerous
      onConfirm={() => endKey(customerId, apiKey.id, withCreated)}
    >
      <div className="grid gap-2">
        <p>
          Requests with the key …{apiKey.lastFour} are refused from now on, and so are the console links and sessions
          that it made. This cannot be taken back.
        </p>
        <WithCreated isOn={withCreated} onChange={setWithCreated} />
      </div>
    </Confirm>
  )
}
