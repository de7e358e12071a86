// Signed agreements: which ids were given out for accepted terms, and which ids count.
import { invalidParameters } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { World } from '../state/world.ts'
import type { Session } from './rows.ts'

/** The agreement made by accepting the terms in this session; a repeat yields the same one and is not the first. */
export const agreementOf = (world: World, session: Session): { id: string; isNew: boolean } => {
  if (session.agreementId !== null) return { id: session.agreementId, isNew: false }
  const agreement = world.state.agreements.put({ id: newId() })
  world.state.sessions.put({ ...session, agreementId: agreement.id })
  return { id: agreement.id, isNew: true }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Like upstream's sandbox any UUID is taken for a signed agreement, unless the strict switch is on. */
export const checkAgreement = (world: World, id: string): void => {
  const known = world.settings.strictAgreements ? world.state.agreements.get(id) !== undefined : uuid.test(id)
  if (!known) throw invalidParameters('body', { signed_agreement_id: 'is not a signed agreement' })
}
