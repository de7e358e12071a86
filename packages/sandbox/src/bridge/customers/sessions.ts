// Sessions of the hosted pages, the links that lead to them, and the agreements that are signed there. A token is derived from
// the deployment's secret and the session's nonce, and only its hash is stored. Inside the emulator, a link is a placeholder with
// the nonce, and `revealLinks` replaces it with a URL at the edge. So no row, stored response or event has a token.
import { createHash, createHmac } from 'node:crypto'
import { invalidParameters } from '../../platform/errors.ts'
import { newId, randomHex } from '../../platform/ids.ts'
import { secondOrigin } from '../state/behaviour.ts'
import type { World } from '../state/world.ts'
import type { Session } from './rows.ts'

/** Sessions kept, because each look-up of a customer's links makes new ones. The oldest is removed first. */
const sessionsMax = 50_000

const placeholder = 'sandbox-link:'
const placeholders = new RegExp(`${placeholder}(bare:)?([0-9a-f]{32})`, 'g')

export const linkTo = (session: { nonce: string }): string => `${placeholder}${session.nonce}`

/** Returns the link without `http://`. */
export const bareLinkTo = (session: { nonce: string }): string => `${placeholder}bare:${session.nonce}`

type NewSession = Pick<Session, 'page'> & Partial<Omit<Session, 'id' | 'nonce' | 'agreementId'>>

export const openSession = (world: World, session: NewSession): Session => {
  const { sessions } = world.state
  const forgotten = sessions.size >= sessionsMax ? sessions.oldest() : undefined
  if (forgotten) sessions.remove(forgotten.id)
  const nonce = randomHex(32)
  return sessions.put({
    email: null,
    customerId: null,
    kycLinkId: null,
    endorsement: null,
    redirectUri: null,
    tosNonce: null,
    agreementId: null,
    ...session,
    nonce,
    id: hashOf(tokenOf(world, nonce)),
  })
}

export const findSession = (world: World, page: Session['page'], token: string): Session | undefined => {
  const session = world.state.sessions.get(hashOf(token))
  return session?.page === page ? session : undefined
}

/** Replaces every placeholder in a JSON text by its URL. */
export const revealLinks = (world: World, json: string): string =>
  json.includes(placeholder) ? json.replace(placeholders, (_, bare, nonce) => linkOf(world, nonce, bare)) : json

const linkOf = (world: World, nonce: string, bare: string | undefined): string =>
  bare === undefined ? urlOf(world, nonce) : urlOf(world, nonce).replace(/^https?:\/\//, '')

const urlOf = (world: World, nonce: string): string => {
  const token = tokenOf(world, nonce)
  const session = world.state.sessions.get(hashOf(token))
  if (session?.page === 'kyc') return `${world.origin()}/verify?reference-id=${token}`
  const terms = `${termsOrigin(world)}/accept-terms-of-service`
  if (session?.customerId && session.email) return `${terms}?email=${encodeURIComponent(session.email)}&t=${token}`
  return `${terms}?session_token=${token}`
}

/** Returns the token of a link to the terms, or an empty text when the link has none. */
export const termsTokenIn = ({ searchParams }: URL): string =>
  searchParams.get('session_token') ?? searchParams.get('t') ?? ''

const termsOrigin = (world: World): string => {
  const origin = world.origin()
  return (world.behaviour.has('tos_second_origin') && secondOrigin(origin)) || origin
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Derives a token: 122 bits of an HMAC in the form of a version 4 UUID, like the provider's tokens. */
const tokenOf = (world: World, nonce: string): string => {
  const digest = createHmac('sha256', world.state.identity.linkSecret).update(nonce).digest()
  digest[6] = (digest.readUInt8(6) & 0x0f) | 0x40
  digest[8] = (digest.readUInt8(8) & 0x3f) | 0x80
  return digest
    .toString('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Returns the agreement of a session and makes it at the first acceptance. `isNew` is false for a repeat. */
export const agreementOf = (world: World, session: Session): { id: string; isNew: boolean } => {
  if (session.agreementId !== null) return { id: session.agreementId, isNew: false }
  const agreement = world.state.agreements.put({ id: newId() })
  world.state.sessions.put({ ...session, agreementId: agreement.id })
  return { id: agreement.id, isNew: true }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Requires the id of a signed agreement. Like the provider's sandbox it accepts any UUID, unless the strict switch is on.
 * @throws Refusal `invalid_parameters`
 */
export const checkAgreement = (world: World, id: string): void => {
  const isKnown = world.settings.strictAgreements ? world.state.agreements.get(id) !== undefined : uuid.test(id)
  if (!isKnown) throw invalidParameters('body', { signed_agreement_id: 'is not a signed agreement' })
}
