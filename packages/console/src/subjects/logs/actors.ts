// Who acted, in words: a key or a staff member by name, or who is neither.

import { useQuery } from '@tanstack/react-query'
import { useLogOwner } from './owner.ts'
import { keyNamesQuery, staffNamesQuery } from './queries.ts'

/** An option of a filter. */
type Named = readonly [id: string, name: string]

/** @returns the keys and staff with a known name */
export function useKnownActors(): { keys: readonly Named[]; staff: readonly Named[] } {
  const owner = useLogOwner()
  const { data: keys = [] } = useQuery(keyNamesQuery(owner))
  const { data: staff = [] } = useQuery(staffNamesQuery(owner))
  return {
    keys: keys.map(({ id, name, lastFour }) => [id, `${name} (…${lastFour})`]),
    staff: staff.map(({ id, name, email, subject }) => [id, email ?? name ?? subject]),
  }
}

/** @returns the name of a key or staff member by its ID, as far as it is known; words for who is neither */
export function useActorNames(): (id: string) => string {
  const owner = useLogOwner()
  const { data: keys } = useQuery(keyNamesQuery(owner))
  const { staff } = useKnownActors()
  return (id) => {
    if (id === 'operator') return 'Operator'
    if (id === 'provider') return 'Provider'
    if (id === 'causeway') return 'Causeway'
    const member = staff.find(([staffId]) => staffId === id)
    return member?.[1] ?? keys?.find((key) => key.id === id)?.name ?? shortId(id)
  }
}

/** The beginning and end of an id, for places where the whole would be too long. */
export const shortId = (id: string): string => (id.length > 18 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)
