// The owner of the shown log: the signed-in business or, for the operator, one business.

import type { LinkProps } from '@tanstack/react-router'
import { createContext, useContext } from 'react'

/** The ID of the business for the operator; null for the business that is signed in. */
export type Owner = string | null

/** Within it, the log is that of another business. */
export const LogOwner = createContext<Owner>(null)

export const useLogOwner = (): Owner => useContext(LogOwner)

/** The path of the list of requests, below /console. */
export const requestsPath = (owner: Owner): string =>
  owner === null ? '/developers/requests' : `/operator/businesses/${owner}/requests`

export const requestLink = (owner: Owner, id: string): LinkProps =>
  owner === null
    ? { to: '/developers/requests/$id', params: { id } }
    : { to: '/operator/businesses/$customerId/requests/$id', params: { customerId: owner, id } }
