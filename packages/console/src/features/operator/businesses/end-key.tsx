// Ends a key of a business.

import type { ApiKey } from '@causeway/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { Confirm } from '../../../components/dialogs/confirm.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { endKey } from '../queries.ts'

const route = getRouteApi('/operator/businesses/$customerId')

export function EndKey({ apiKey }: { apiKey: ApiKey }) {
  const { customerId } = route.useParams()
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
      onConfirm={() => endKey(customerId, apiKey.id)}
    >
      Requests with the key …{apiKey.lastFour} are refused from now on, and so are the console links and sessions that
      it made. This cannot be taken back.
    </Confirm>
  )
}
