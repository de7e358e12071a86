// Whether housekeeping continues while a clock is behind. The proof plants an expired Idempotency-Key and an expired onboarding
// link again and again: both must be swept. Each server must stay noted as a writer.

import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../rig/databases/database.ts'
import type { Run } from '../../rig/scenario.ts'
import type { World } from '../../rig/world.ts'

const lookMs = 1_000
/** A server sweeps once a minute, and may be busy. */
const sweepMsMax = 90_000
/** A step forward ends every note; a server writes the next one within 30 s. */
const notedMsMax = 60_000
/** libfaketime reads its file in PostgreSQL's signal handlers too, which may crash a backend: PostgreSQL then restarts. */
const restartMsMax = 30_000
const answerMsMax = 10_000

type Watch = { whose: string; holdMs: number; servers: number } & Pick<Run<unknown, Database>, 'count' | 'log'>

/**
 * Watches for at least `holdMs`, and until the last planted rows are swept.
 * @param servers number of servers that run
 */
export async function watchHousekeeping(
  world: World<Database>,
  { whose, holdMs, servers, count, log }: Watch,
): Promise<void> {
  const deadline = performance.now() + notedMsMax
  while ((await writersNoted(world)) < servers && performance.now() < deadline) await delay(lookMs)
  const beganAt = performance.now()
  let planted = 0
  do {
    planted += 1
    const name = `clock-${whose}-${planted}-${beganAt.toFixed()}`
    const isSwept = await plant(world, name)
    const plantedAt = performance.now()
    let isDone = false
    while (!isDone && performance.now() - plantedAt < sweepMsMax) {
      await delay(lookMs)
      if ((await writersNoted(world)) < servers) count('lapsed notes')
      isDone = await isSwept()
    }
    count(isDone ? 'swept' : 'left unswept')
    log(`${name}: ${isDone ? 'swept' : 'left'} after ${Math.round(performance.now() - plantedAt)} ms`)
    if (!isDone) return
  } while (performance.now() - beganAt < holdMs)
}

/** @returns a check whether both planted rows are swept */
async function plant(world: World<Database>, name: string): Promise<() => Promise<boolean>> {
  const business = world.businesses[0]
  if (!business) throw new Error('there is no business')
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${business.apiKey}`, 'content-type': 'application/json' }
    const { status, text } = await patiently(async () => {
      const sent = await world.send({ method: 'POST', path, headers, body: JSON.stringify(body) }, answerMsMax)
      if (sent.status === null || sent.status >= 500) throw new Error(`POST ${path}: ${sent.status} ${sent.text}`)
      return sent
    })
    // The response to the creation was lost, and this is its repeat.
    if (status !== 200 && status !== 409) throw new Error(`POST ${path} was answered ${status}: ${text}`)
    return status === 200 ? String(JSON.parse(text).data.id) : ''
  }
  await post('/v0/end-users', { externalUserId: name })
  const link = await post(`/v0/end-users/${name}/onboarding-links`, {})
  const given = [business.id, link]
  await ask(world, 'update onboarding_links set expires_at = now() where business_id = $1 and id = $2', given)
  await ask(
    world,
    `insert into idempotency_keys (business_id, operation, key, fingerprint, status, fence, lease_until, expires_at)
    values ($1, 'POST /clock', $2, '', 200, 0, now(), now()) on conflict do nothing`,
    [business.id, name],
  )
  return async () => {
    const [left] = await ask<{ keys: number; links: number }>(
      world,
      `select (select count(*)::int from idempotency_keys where business_id = $1 and key = $3) as keys,
        (select count(*)::int from onboarding_links where business_id = $1 and id = $2
          and abandoned_at is null and not is_expiry_noted) as links`,
      [...given, name],
    )
    return left?.keys === 0 && left.links === 0
  }
}

async function writersNoted(world: World<Database>): Promise<number> {
  const sql = 'select count(*)::int as count from deployment_secret_writers where until > now()'
  const [row] = await ask<{ count: number }>(world, sql)
  return row?.count ?? 0
}

const ask = <Row extends object>({ database }: World<Database>, sql: string, values: readonly unknown[] = []) =>
  patiently(() => database.ask<Row>(sql, values))

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + restartMsMax
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await delay(lookMs)
    }
  }
}
