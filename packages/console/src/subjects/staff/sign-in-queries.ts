// Queries and writes of the staff sign-in of a business: its own, or for the operator that of any business.

import { ApiError, type Body, type StaffSignIn } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'
import type { Owner } from '../logs/owner.ts'

export type SignInBody = Body<'setSignIn'>

/** Null where none is set. */
export const signInQuery = (owner: Owner) =>
  queryOptions({
    queryKey: ['sign-in', owner],
    queryFn: async ({ signal }): Promise<StaffSignIn | null> => {
      try {
        return await (owner === null
          ? causeway.signIn.get({ signal })
          : causeway.call('getCustomerSignIn', { path: { customerId: owner } }, { signal }))
      } catch (failure) {
        if (failure instanceof ApiError && failure.code === 'sign_in_not_set') return null
        throw failure
      }
    },
  })

export async function setSignIn(owner: Owner, body: SignInBody): Promise<void> {
  const signIn = await (owner === null
    ? causeway.signIn.set(body)
    : causeway.call('setCustomerSignIn', { path: { customerId: owner }, body }))
  keep(owner, signIn)
}

export async function removeSignIn(owner: Owner): Promise<void> {
  await (owner === null
    ? causeway.signIn.delete()
    : causeway.call('deleteCustomerSignIn', { path: { customerId: owner } }))
  keep(owner, null)
}

function keep(owner: Owner, signIn: StaffSignIn | null): void {
  queryClient.setQueryData(signInQuery(owner).queryKey, signIn)
  // Another issuer ends the sessions of the staff.
  for (const subject of ['staff', 'audit']) void queryClient.invalidateQueries({ queryKey: [subject] })
}
