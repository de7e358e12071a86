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
        <Button size="sm" variant="danger" aria-label={`Revoke key ${apiKey.name}`}>
          Revoke
        </Button>
      }
      title={`Revoke key “${apiKey.name}”?`}
      action="Revoke key"
      isDangerous
      onConfirm={() => endKey(customerId, apiKey.id, withCreated)}
    >
      <div className="grid gap-2">
        <p>
          Requests with the key …{apiKey.lastFour} are refused from now on. Console links created with it, and their
          sessions, are revoked too. You cannot undo this.
        </p>
        <WithCreated isOn={withCreated} onChange={setWithCreated} />
      </div>
    </Confirm>
  )
}
