// When the provider was last asked about an end-user, for requests that would ask it each time.

import type { Tx } from '../../platform/postgres/query.ts'

/** @returns false when the provider was asked about this end-user less than `secondsMin` ago */
export async function claimProviderQuestion(
  tx: Tx,
  businessId: string,
  id: string,
  secondsMin: number,
): Promise<boolean> {
  const rows = await tx`
    update end_users set provider_asked_at = now()
    where business_id = ${businessId} and id = ${id}
      and (provider_asked_at is null or provider_asked_at <= now() - make_interval(secs => ${secondsMin})) returning id`
  return rows.length === 1
}
