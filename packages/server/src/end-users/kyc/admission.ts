// What is checked before the body of a KYC submission is read: how often one is made, and for whom.

import type { FastifyRequest } from 'fastify'
import { fail } from '../../platform/errors.ts'
import { businessOf, depsOf } from '../../platform/http/caller-of-request.ts'
import type { RateVerdict } from '../../platform/http/limits/rate-limit.ts'
import { validationError } from '../../platform/http/schema/validation.ts'
import { endUserOf } from '../service.ts'

/**
 * For the route that takes KYC: a hook that counts the submission and looks the end-user up before the body is read.
 * A business can make any number of names, so its own limit comes first, and only an end-user who exists has a counter.
 * @throws ApiError `rate_limited`, `holder_not_found`, `invalid_path`
 */
export async function admitKycSubmission(request: FastifyRequest): Promise<void> {
  const { kycSubmissions, kycSubmissionsOfBusiness } = request.server.rateLimits
  const business = businessOf(request)
  const externalUserId = externalUserIdOf(request)
  requireAllowed(await kycSubmissionsOfBusiness.take(business.id))
  await depsOf(request).db.read((query) => endUserOf(query, business, externalUserId))
  requireAllowed(await kycSubmissions.take(`${business.id}/${externalUserId}`))
}

function requireAllowed(verdict: RateVerdict): void {
  if (!verdict.allowed) throw fail('rate_limited', { retryAfterSeconds: verdict.resetSeconds })
}

/** Fastify validates a path after it has read the body. */
function externalUserIdOf(request: FastifyRequest): string {
  const validate = request.getValidationFunction('params')
  if (validate && !validate(request.params)) throw validationError(validate.errors ?? [], 'params')
  return (request.params as { externalUserId: string }).externalUserId
}
