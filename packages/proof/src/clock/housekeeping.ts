// Whether housekeeping continues while a clock is behind. The proof plants an expired Idempotency-Key and an expired onboarding
// link again and again: both must be swept. Each server must stay noted as a writer, and deliveries must continue.

import { setTimeout as delay } from 'node:timers/promises'
import { request, until } from '../../../server/test/caller.ts'
import { longestGapMs } from '../fleet/answers.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { deliveryTimes } from '../fleet/judge.ts'
import { type Hold, type Step, sweepMsMax } from './verdict.ts'

const lookMs = 1_000
/** libfaketime reads its file in PostgreSQL's signal handlers too, which may crash a backend: PostgreSQL then restarts. */
const restartMsMax = 30_000

/**
 * Watches for at least `holdMs`, and until the last planted rows are swept.
 * @param servers number of servers that run
 */
export async function watchHousekeeping(
  fleet: Fleet,
  { whose, holdMs, servers }: { whose: Step['whose']; holdMs: number; servers: number },
): Promise<Hold> {
  const fromMs = Date.now()
  const sweptAfterMs: (number | null)[] = []
  let lapsedNotes = 0
  do {
    const name = `clock-${whose}-${sweptAfterMs.length}`
    const isSwept = await patiently(() => plant(fleet, `${name}-${performance.now().toFixed()}`))
    const plantedAt = performance.now()
    let took: number | null = null
    while (took === null && performance.now() - plantedAt < sweepMsMax) {
      await delay(lookMs)
      if ((await writersNoted(fleet)) < servers) lapsedNotes += 1
      if (await patiently(isSwept)) took = Math.round(performance.now() - plantedAt)
    }
    sweptAfterMs.push(took)
  } while (Date.now() - fromMs < holdMs && !sweptAfterMs.includes(null))
  const span = { fromMs, toMs: Date.now() }
  const gaps = [...fleet.endpoints.keys()].map((name) => longestGapMs(deliveryTimes(fleet.lines, name), span))
  const longestDeliveryGapMs = Math.max(...gaps)
  return { whose, lastedMs: span.toMs - span.fromMs, sweptAfterMs, lapsedNotes, longestDeliveryGapMs }
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  let cause: unknown
  const attempt = (): Promise<{ value: T } | false> =>
    work().then(
      (value) => ({ value }),
      (error: unknown) => {
        cause = error
        return false
      },
    )
  const done = await until('the database', attempt, restartMsMax).catch(() => Promise.reject(cause))
  return done.value
}

/** @returns a check whether both planted rows are swept */
async function plant({ deployment, business, nextUrl }: Fleet, name: string): Promise<() => Promise<boolean>> {
  const { id: businessId, apiKey } = business
  const ask = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization: `Bearer ${apiKey}` }
    const answer = await request('POST', `${nextUrl()}${path}`, body, { headers })
    if (answer.status !== 200) throw new Error(`POST ${path} was answered ${answer.status}: ${answer.text}`)
    return answer.body.data
  }
  await ask('/v0/end-users', { externalUserId: name })
  const link = await ask(`/v0/end-users/${name}/onboarding-links`, {})
  await deployment.db.transaction(async (tx) => {
    await tx`update onboarding_links set expires_at = now() where business_id = ${businessId} and id = ${link.id}`
    await tx`
      insert into idempotency_keys (business_id, operation, key, fingerprint, status, fence, lease_until, expires_at)
      values (${businessId}, 'POST /clock', ${name}, '', 200, 0, now(), now())`
  })
  return async () => {
    const [left] = await deployment.db.read(
      (query) => query<{ keys: number; links: number }[]>`
        select (select count(*)::int from idempotency_keys where business_id = ${businessId} and key = ${name}) as keys,
          (select count(*)::int from onboarding_links where business_id = ${businessId} and id = ${link.id}
            and abandoned_at is null and not is_expiry_noted) as links`,
    )
    return left?.keys === 0 && left.links === 0
  }
}

export async function writersNoted({ deployment }: Fleet): Promise<number> {
  return await patiently(async () => {
    const [row] = await deployment.db.read(
      (query) => query<{ count: number }[]>`
        select count(*)::int as count from deployment_secret_writers where until > now()`,
    )
    return row?.count ?? 0
  })
}
