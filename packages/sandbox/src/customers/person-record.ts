// A person behind a business: what is kept of one, and the face on the wire.

import { type JsonObject, textOf } from '../platform/fields.ts'
import { newId } from '../platform/ids.ts'
import type { World } from '../state/world.ts'
import { personItemsIn } from './requirements.ts'
import type { AssociatedPerson } from './rows.ts'

/** The person that a body describes; `known` is the same person as it was before. */
export const personFrom = (world: World, given: JsonObject, known?: AssociatedPerson): AssociatedPerson => {
  const items = personItemsIn(given)
  return {
    id: known?.id ?? newId(),
    email: textOf(given, 'email') ?? '',
    firstName: textOf(given, 'first_name') ?? '',
    lastName: textOf(given, 'last_name') ?? '',
    hasOwnership: given['has_ownership'] === true,
    hasControl: given['has_control'] === true,
    isSigner: given['is_signer'] === true,
    title: textOf(given, 'title') ?? null,
    attestedOwnershipStructureAt: textOf(given, 'attested_ownership_structure_at') ?? null,
    relationshipEstablishedAt: textOf(given, 'relationship_established_at') ?? null,
    items,
    wanted: known?.wanted.filter((need) => !items.includes(need)) ?? [],
    createdAt: known?.createdAt ?? world.now(),
    updatedAt: world.now(),
  }
}

export const renderPerson = (world: World, person: AssociatedPerson) => ({
  id: person.id,
  email: person.email,
  first_name: person.firstName,
  last_name: person.lastName,
  has_ownership: person.hasOwnership,
  has_control: person.hasControl,
  is_signer: person.isSigner,
  ...(person.title === null ? {} : { title: person.title }),
  ...(person.attestedOwnershipStructureAt === null
    ? {}
    : { attested_ownership_structure_at: person.attestedOwnershipStructureAt }),
  ...(person.relationshipEstablishedAt === null
    ? {}
    : { relationship_established_at: person.relationshipEstablishedAt }),
  created_at: moment(world, person.createdAt),
  updated_at: moment(world, person.updatedAt),
})

/** The document's schema has unix milliseconds here and its example an ISO time. */
const moment = (world: World, at: number): number | string =>
  world.behaviour.has('person_times_iso') ? new Date(at).toISOString() : at
