// `npm run proof:restore`: PostgreSQL is lost under load and restored to a point in time by the steps of the page for operators;
// a dump is restored under another login. The provider and the receivers keep what they have seen.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Backups, Dump, Killable } from '../../rig/databases/database.ts'
import { debianPostgres } from '../../rig/databases/debian-plan.ts'
import { openWorld } from '../../rig/deployment/open-world.ts'
import { gatherEvidence, observe } from '../../rig/evidence/evidence.ts'
import { type LoadPlan, startLoad } from '../../rig/load/load.ts'
import { positive, seedOption } from '../../rig/options.ts'
import { proof } from '../../rig/proof.ts'
import type { PartRun } from '../../rig/scenario.ts'
import type { Observed } from '../../rig/verdict/observed.ts'
import { judge } from '../../rig/verdict/verdict.ts'
import type { Business, World } from '../../rig/world.ts'
import { counted, proveDump } from './dump.ts'
import { heldEvents, untilLevel } from './level.ts'
import { readNumbers } from './numbers.ts'
import { answerOf } from './operator.ts'
import { asOneRun, duplicatesMax, judgeRestore, restoreFigures, type Seen } from './verdict.ts'
import { addWaiting } from './waiting.ts'

type Given = { seconds: number; rate: number; calls: number; seed: number }
type Restorable = World<Killable & Backups>

const replicas = 2
const levelMsMax = 180_000
const firstDeliveryMsMax = 30_000
const answerMsMax = 20_000
/** The load before the loss and the load after the restore send events about different end-users. */
const endUsers = 40

const planOf = ({ rate, calls }: Given): LoadPlan => ({ eventsPerSecond: rate, stories: { callsPerSecond: calls } })

await proof({
  script: 'proof:restore',
  promise:
    'PostgreSQL is lost and restored to a point in time: nothing acknowledged before it is lost, no number is reused.',
  holds: [1, 4, 16],
  options: {
    seconds: positive('length of each part of the load', 8),
    rate: positive('events a second', 20),
    calls: positive('API calls a second', 8),
    seed: seedOption(),
  },
})
  .part('', async (run, stack) => {
    const settings = { DEPLOYMENT_SECRET: randomBytes(24).toString('hex') }
    const endpoints = [{ ordering: 'best_effort' }, { ordering: 'per_end_user' }] as const
    const businesses = [{ endpoints, endUsers }]
    const database = debianPostgres({ archive: true })
    const world = await openWorld({ database, replicas, settings, businesses }, stack)
    const [business] = world.businesses
    if (!business) throw new Error('the world has no business')
    const lived = await liveAndDie(world, business, run)
    await world.database.restoreTo(lived.time, lived.backup)
    run.log(`the database is as it was at ${lived.time.toISOString()}`)
    const back = await comeBack(world, business, lived, run)
    const seen: Seen = { ...lived, ...back, pointMs: lived.time.getTime() }
    const result = verdictOf(seen)
    await Promise.all(world.replicas.map((replica) => replica.kill()))
    const dumped = await proveDump(lived.dump, business.id, settings, stack)
    return {
      figures: { ...result.figures, ...back.figures, ...dumped.figures },
      examples: result.examples,
      faults: [...result.faults, ...back.faults, ...dumped.faults],
    }
  })
  .start()

function verdictOf(seen: Seen) {
  const before = judge(seen.before, {})
  const after = judge(asOneRun(seen), {
    allow: { duplicate: duplicatesMax(seen) },
    also: () => judgeRestore(seen),
    atLeast: { accounts: 1, deposits: 1 },
  })
  const figures = restoreFigures(seen)
  const some = { acknowledgedBefore: 1, eventsOfGap: 1, endUsersOfGap: 1, accountsFoundAgain: 1 } as const
  const few = Object.entries(some).filter(([name, least]) => figures[name as keyof typeof some] < least)
  return {
    figures: { ...after.figures, ...figures },
    examples: [
      ...before.findings.map(({ kind, text }) => `before the loss: ${kind}: ${text}`),
      ...after.findings.map(({ kind, text }) => `${kind}: ${text}`),
    ],
    faults: [
      ...before.faults.map((fault) => `before the loss: ${fault}`),
      ...after.faults,
      ...few.map(([name]) => `${name}: none; the run proves nothing`),
    ],
  }
}

type Lived = Pick<Seen, 'before' | 'acknowledgedBefore'> & {
  backup: string
  dump: Dump
  time: Date
  /** A reader's place in the event stream, of the gap. */
  place: string
  /** They were valid at the point in time; one was revoked in the gap. */
  keys: readonly string[]
  /** The path of the heads of the audit log, which were published in the gap. */
  heads: string
}

/** Everything until the database is lost. */
async function liveAndDie(world: Restorable, business: Business, run: PartRun<Given>): Promise<Lived> {
  const { options, log, wait, chance } = run
  const { database } = world
  const first = { ...world, businesses: [{ ...business, endUsers: business.endUsers.slice(0, endUsers / 2) }] }
  const load = startLoad(first, planOf(options), chance(0).below(2 ** 31))
  await wait(options.seconds)
  const backup = await database.baseBackup()
  const dump = await database.dump(counted)
  const issued = answerOf(await world.operator('customers', 'issue-api-key', business.id)) as {
    id: string
    key: string
  }
  log('a base backup and a dump were taken under load')
  await wait(options.seconds)
  const approveWaiting = await addWaiting(world, business, load.ledger, chance(2))
  const acknowledgedBefore = load.ledger.acknowledged.length
  const [moment] = await database.ask<{ now: Date }>('select clock_timestamp() as now')
  await Promise.all([wait(options.seconds), approveWaiting()])
  await call(world, business.apiKey, 'DELETE', `/v0/api-keys/${issued.id}`)
  await load.stop()
  const observed = await observe(world, load)
  const place = placeIn(await call(world, business.apiKey, 'GET', '/v0/events?after=now'))
  const heads = saveHeads(answerOf(await world.operator('audit-log', 'head')))
  await database.archived()
  await Promise.all(world.replicas.map((replica) => replica.kill()))
  await database.kill()
  const before = { ...observed, ledger: { ...observed.ledger, attempts: [...world.attempts] } }
  log(`the database is lost: ${load.summary()}`)
  return {
    ...{ before, acknowledgedBefore, backup, dump, place, heads },
    time: moment?.now ?? new Date(),
    keys: [business.apiKey, issued.key],
  }
}

type Back = Pick<Seen, 'restored' | 'moved' | 'after' | 'held'> & {
  figures: object
  faults: string[]
}

/** The steps of the page for operators, and then load as before. */
async function comeBack(world: Restorable, business: Business, lived: Lived, run: PartRun<Given>): Promise<Back> {
  const { options, log, wait, chance } = run
  const { database } = world
  const restored = await readNumbers(database, business)
  const ended = answerOf(await world.operator('after-restore', '--end-keys')) as { apiKeys: { ended: number } }
  log(`after-restore: ${JSON.stringify(ended)}`)
  const moved = await readNumbers(database, business)
  const [began] = await database.ask<{ now: Date }>('select clock_timestamp() as now')
  const startedAt = performance.now()
  const attempts = world.attempts.length
  await Promise.all(world.replicas.map((replica) => replica.restart()))
  const { key } = answerOf(await world.operator('customers', 'issue-api-key', business.id)) as { key: string }
  const again = {
    ...world,
    businesses: [{ ...business, apiKey: key, endUsers: business.endUsers.slice(endUsers / 2) }],
  }
  const load = startLoad(again, planOf(options), chance(1).below(2 ** 31))
  while (world.attempts.length === attempts && performance.now() - startedAt < levelMsMax) await wait(0.02)
  const firstDeliveryMs = Math.round(performance.now() - startedAt)
  await wait(options.seconds)
  await load.stop()
  const stuck = await untilLevel(world, began?.now ?? new Date(), levelMsMax)
  const settledMs = Math.round(performance.now() - startedAt)
  await load.finishReading()
  const evidence = await gatherEvidence(again, stuck)
  const ledger = { ...load.ledger, attempts: world.attempts.slice(attempts) }
  const after: Observed = { ledger, evidence, stuck, unexpected: world.unexpected() }
  const checks = {
    readersTold: await isTold(world, key, lived.place),
    keysStillOpen: await countOpen(world, lived.keys),
    ...(await checkAudit(world, lived.heads)),
  }
  const keysEnded = ended.apiKeys.ended
  const faults = [
    ...(firstDeliveryMs > firstDeliveryMsMax ? [`no delivery for ${firstDeliveryMs} ms`] : []),
    ...(keysEnded > 0 ? [] : ['no API key was ended']),
    ...(checks.readersTold ? [] : ['a reader beyond the end of the stream got no cursor_expired that leads on']),
    ...(checks.keysStillOpen > 0 ? [`${checks.keysStillOpen} API keys were ended and still work`] : []),
    ...(checks.auditFaults > 0 ? [`${checks.auditFaults} faults in the audit log`] : []),
    ...(checks.auditGapNamed ? [] : ['the check against published heads did not name the missing entries']),
  ]
  const held = await heldEvents(database)
  return { restored, moved, after, held, figures: { firstDeliveryMs, settledMs, keysEnded, ...checks }, faults }
}

function call(world: Restorable, apiKey: string, method: string, path: string) {
  return world.send({ method, path, headers: { authorization: `Bearer ${apiKey}` } }, answerMsMax)
}

function placeIn({ headers }: { headers: Readonly<Record<string, string>> }): string {
  const next = /<([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1]
  return (next && new URL(next, 'http://localhost').searchParams.get('after')) ?? ''
}

function saveHeads(heads: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-heads-'))
  const path = join(folder, 'heads.json')
  writeFileSync(path, JSON.stringify(heads))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return path
}

/** A reader that was beyond the restored end gets 409, and finds the later events behind its link. */
async function isTold(world: Restorable, apiKey: string, place: string): Promise<boolean> {
  const gone = await call(world, apiKey, 'GET', `/v0/events?after=${place}`)
  if (gone.status !== 409 || !gone.text.includes('"cursor_expired"')) return false
  const next = await call(world, apiKey, 'GET', `/v0/events?after=${placeIn(gone)}`)
  return next.status === 200 && (JSON.parse(next.text) as { data: unknown[] }).data.length > 0
}

async function countOpen(world: Restorable, keys: readonly string[]): Promise<number> {
  const answers = await Promise.all(keys.map((key) => call(world, key, 'GET', '/v0/end-users?limit=1')))
  return answers.filter(({ status }) => status !== 401).length
}

async function checkAudit(world: Restorable, heads: string): Promise<{ auditFaults: number; auditGapNamed: number }> {
  type Findings = { findings: { kind: string }[] }
  const own = (await world.operator('audit-log', 'verify')).answer as Findings
  const told = await world.operator('audit-log', 'verify', '--heads', heads)
  const named = (told.answer as Findings).findings.filter(({ kind }) => kind === 'not_as_published')
  return { auditFaults: own.findings.length, auditGapNamed: told.code === 1 ? named.length : 0 }
}
