// How many KYC submissions are taken, counted before a body is read.

import type { FastifyRequest } from 'fastify'
import { coreOfRequest } from '../../platform/http/app.ts'
import type { Business } from '../../platform/http/caller.ts'
import { requireAllowed } from '../../platform/http/limits/rate-limit.ts'
import { endUserOf } from '../service.ts'

/**
 * Counts a submission and looks the end-user up. A business can make any number of names, so its own limit comes first, and
 * only an end-user who exists has a counter.
 * @throws ApiError `rate_limited`, `holder_not_found`
 */
export async function countKycSubmission(
  request: FastifyRequest,
  business: Business,
  externalUserId: string,
): Promise<void> {
  const { kycSubmissions, kycSubmissionsOfBusiness } = request.server.rateLimits
  requireAllowed(await kycSubmissionsOfBusiness.take(business.id))
  await coreOfRequest(request).db.read((query) => endUserOf(query, business, externalUserId))
  requireAllowed(await kycSubmissions.take(`${business.id}/${externalUserId}`))
}
