// The sign-in of staff: to the issuer, and back with its response.

import { signInStaff } from '../console/staff-sessions.ts'
import { ApiError } from '../platform/errors.ts'
import { type Attempt, attemptMinutes, safeNext } from './attempt.ts'
import type { SignsIn } from './ports.ts'
import { authorizationUrl, redeemCode } from './protocol/code-flow.ts'
import { type Issuer, IssuerFailed } from './protocol/discovery.ts'
import { isAway, reasonOf } from './protocol/failures.ts'
import { addressesOf, findSettings } from './settings.ts'

/** Codes in the address of the sign-in page. The page has a text for each. */
export type SignInError =
  | 'business_suspended'
  | 'role_unknown'
  | 'sign_in_expired'
  | 'sign_in_failed'
  | 'sign_in_not_set'
  | 'sign_in_unavailable'

/** A sign-in that did not succeed. `message` is for the log of the operator. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed'
  readonly code: SignInError

  constructor(code: SignInError, message: string) {
    super(message)
    this.code = code
  }
}

export type Start = { next: string | undefined; isFresh: boolean; previous: string | null }

const randomText = ({ randomBytes }: Pick<SignsIn, 'randomBytes'>) => randomBytes(32).toString('base64url')

/**
 * Starts a sign-in.
 * @param origin of this service
 * @returns the address at the issuer, and the attempt that the browser keeps
 * @throws SignInFailed
 */
export async function beginSignIn(deps: SignsIn, businessId: string, origin: string, start: Start) {
  return await explained(async () => {
    const issuer = await issuerOf(deps, businessId)
    const attempt: Attempt = {
      businessId,
      state: randomText(deps),
      nonce: randomText(deps),
      verifier: randomText(deps),
      maxAgeSeconds: start.isFresh ? maxAgeSeconds(deps) : null,
      next: safeNext(start.next),
      previous: start.previous,
      expiresAtMs: deps.now() + attemptMinutes * 60_000,
    }
    return { attempt, url: await authorizationUrl(issuer, addressesOf(origin, businessId).redirectUri, attempt) }
  })
}

/** Half of the time in which a sign-in counts as fresh, so that the person has the other half for the operation. */
function maxAgeSeconds({ config }: Pick<SignsIn, 'config'>): number | null {
  const { oidcFreshSignInMinutes: minutes } = config
  return minutes === 0 ? null : minutes * 30
}

export type Callback = {
  /** The owner in the address that the issuer called. */
  businessId: string
  /** The query that the issuer sent. */
  search: string
  attempt: Attempt | null
  requestId: string
}

/**
 * Finishes a sign-in with the response of the issuer.
 * @returns the token of the new session
 * @throws SignInFailed
 */
export async function finishSignIn(deps: SignsIn, origin: string, callback: Callback): Promise<string> {
  const { businessId, search, attempt, requestId } = callback
  return await explained(async () => {
    if (attempt === null) throw new SignInFailed('sign_in_expired', 'the browser has no attempt, or an expired one')
    if (attempt.businessId !== businessId)
      throw new SignInFailed('sign_in_failed', 'the response came to the redirect URI of another owner')
    const issuer = await issuerOf(deps, businessId)
    const url = new URL(addressesOf(origin, businessId).redirectUri)
    url.search = search
    const person = await redeemCode(issuer, url, attempt)
    const { subject, name, email, roles, authTime, sid, refreshToken } = person
    if (roles.length === 0) throw new SignInFailed('role_unknown', 'no value of the claim has a role')
    const identity = { issuer: issuer.name, subject, name, email }
    const grant = { businessId, identity, roles, authTime, sid, refreshToken }
    return await signInStaff(deps, grant, { requestId, previous: attempt.previous })
  })
}

async function issuerOf(deps: SignsIn, businessId: string): Promise<Issuer> {
  const settings = await findSettings(deps, businessId)
  if (settings === null) throw new SignInFailed('sign_in_not_set', 'no issuer is set')
  return await deps.issuers.of(settings)
}

/** Every failure as a code of the page, and a reason without tokens for the log. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignInFailed) throw error
    if (error instanceof ApiError && error.code === 'business_suspended')
      throw new SignInFailed(error.code, error.message)
    const isPassing = error instanceof ApiError || error instanceof IssuerFailed || isAway(error)
    throw new SignInFailed(isPassing ? 'sign_in_unavailable' : 'sign_in_failed', reasonOf(error))
  }
}
