// What is asked of the database before a KYC submission is read.

import type { Business } from '../domain/business.ts'
import type { Deps } from './deps.ts'
import { endUserOf } from './onboarding.ts'

/** @throws ApiError `holder_not_found` */
export async function requireEndUser(deps: Deps, business: Business, externalUserId: string): Promise<void> {
  await deps.db.read((query) => endUserOf(query, business, externalUserId))
}
