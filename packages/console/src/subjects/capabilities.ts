// Capabilities of this deployment: currencies, rails and chains.

import { queryOptions } from '@tanstack/react-query'
import { causeway } from '../session/client.ts'

export const capabilitiesQuery = queryOptions({
  queryKey: ['capabilities'],
  queryFn: ({ signal }) => causeway.capabilities({ signal }),
  staleTime: 10 * 60_000,
})
