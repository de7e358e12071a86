// Who acted, in words: a key by its name, or who is no key.

import { useQuery } from '@tanstack/react-query'
import { useLogOwner } from './owner.ts'
import { keyNamesQuery } from './queries.ts'

/** @returns the name of a key by its id, as far as it is known; words for who is no key */
export function useActorNames(): (id: string) => string {
  const { data: keys } = useQuery(keyNamesQuery(useLogOwner()))
  return (id) => {
    if (id === 'operator') return 'Operator'
    if (id === 'provider') return 'Provider'
    if (id === 'causeway') return 'Causeway'
    return keys?.find((key) => key.id === id)?.name ?? shortId(id)
  }
}

/** The beginning and end of an id, for places where the whole would be too long. */
export const shortId = (id: string): string => (id.length > 18 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)
