// The branding, read and replaced.

import type { Body, Branding } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'

export const brandingQuery = queryOptions({
  queryKey: ['branding'],
  queryFn: ({ signal }) => causeway.onboarding.branding({ signal }),
  // A form that begins with what was read a while ago would take back what a colleague has saved since.
  gcTime: 0,
})

export async function saveBranding(body: Body<'setBranding'>): Promise<Branding> {
  const branding = await causeway.onboarding.setBranding(body)
  queryClient.setQueryData(brandingQuery.queryKey, branding)
  void queryClient.invalidateQueries({ queryKey: ['audit'] })
  return branding
}
