// One restore: a base backup and the archive of the WAL under load, a gap in which everything goes on, the loss of the
// database, and the way back to a point in time, as the page for operators tells it. The provider and the receiver keep what
// they have seen.

import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { issueApiKey } from '../../../server/src/businesses/api-keys.ts'
import { request } from '../../../server/test/caller.ts'
import { type Fleet, openFleet } from '../fleet/fleet.ts'
import { type MixedLoad, startMixedLoad } from '../fleet/load.ts'
import { type Archive, openArchive, restoreTo, takeBaseBackup } from '../rig/databases/backups.ts'
import { type DebianPostgres, startDebianPostgres } from '../rig/databases/debian.ts'
import { askOn, urlOf } from '../rig/databases/session.ts'
import { endOnSignals, type Home, openHome } from '../rig/programs.ts'
import { proveDump, type Taken, takeDump } from './dump-proof.ts'
import { answerOf, operatorOf } from './operator.ts'
import { type HandedOut, readHandedOut } from './record.ts'
import { untilLevel } from './settled.ts'
import { judgeRestore, type RestoreReport } from './verdict.ts'

export type RestoreOptions = {
  seconds: number
  eventsPerSecond: number
  callsPerSecond: number
  seed: number
  say: (line: string) => void
}

const replicas = 2
const levelMsMax = 180_000
const archivedMsMax = 30_000

export async function runRestore(options: RestoreOptions): Promise<RestoreReport> {
  const { say } = options
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const home = stack.use(openHome())
  const archive = openArchive(home)
  const primary = await startDebianPostgres({ settings: archive.settings })
  stack.defer(() => primary[Symbol.asyncDispose]())
  const fleet = stack.use(await openFleet({ database: primary.connection, replicas }))
  const gap = await liveAndDie({ fleet, primary, archive, home }, options)
  const restored = stack.use(await restoreTo(gap.time, primary, { backup: gap.backup, archive }))
  say(`the database is as it was at ${gap.time.toISOString()}`)
  const seen = await comeBack(fleet, restored, gap, options)
  const figures = judgeRestore({ ...gap, ...seen, provider: await fleet.provider.record(), lines: fleet.lines })
  const dumped = await proveDump(fleet, gap.taken, home)
  return { ...figures, ...seen.told, ...dumped }
}

type Place = { fleet: Fleet; primary: DebianPostgres; archive: Archive; home: Home }

type Gap = {
  backup: string
  taken: Taken
  /** The point in time. */
  time: Date
  acknowledgedBefore: readonly string[]
  lost: HandedOut
  /** Of a reader of the stream, from the gap. */
  place: string
  /** Opened something at the point in time, and were revoked or used since. */
  keys: readonly string[]
  heads: unknown
}

/** Everything up to the loss of the database. */
async function liveAndDie({ fleet, primary, home }: Place, options: RestoreOptions): Promise<Gap> {
  const { seconds, say } = options
  const { deployment, business } = fleet
  const load = startMixedLoad(fleet, options)
  await delay(seconds * 1_000)
  const backup = await takeBaseBackup(primary, home)
  const taken = await takeDump(primary, home)
  const extra = await issueApiKey(deployment.deps, business.id, {})
  say('a base backup and a dump were taken under load')
  await delay(seconds * 1_000)
  const [moment] = await askOn<{ now: Date }>(urlOf(primary.connection), 'select clock_timestamp() as now')
  const time = moment?.now ?? new Date()
  const acknowledgedBefore = acknowledgedUntil(load, time)
  await delay(seconds * 1_000)
  await call(fleet, 'DELETE', `/v0/api-keys/${extra.id}`)
  await load.stop()
  await load.finishReading()
  const place = await placeOfNow(fleet)
  const heads = answerOf(await operatorOf(fleet, primary.connection)('audit', 'head'))
  const lost = await deployment.db.read((query) => readHandedOut(query, business.id))
  await archiveAll(primary)
  await Promise.all(fleet.replicas.map((replica) => replica.kill()))
  await primary.kill()
  say(`the database is lost, ${lost.eventIds.size} events after the first`)
  return { backup, taken, time, acknowledgedBefore, lost, place, heads, keys: [business.apiKey, extra.key] }
}

/** Events are acknowledged in the order of the answers. */
function acknowledgedUntil({ heard, acknowledgedEvents }: MixedLoad, time: Date): string[] {
  const taken = heard.filter(({ what, status }) => what === 'event' && status === 200)
  return acknowledgedEvents.filter((_, at) => (taken[at]?.atMs ?? Number.POSITIVE_INFINITY) <= time.getTime())
}

async function archiveAll({ connection }: DebianPostgres): Promise<void> {
  const [last] = await askOn<{ file: string }>(urlOf(connection), 'select pg_walfile_name(pg_switch_wal()) as file')
  const deadline = performance.now() + archivedMsMax
  for (;;) {
    const [row] = await askOn<{ file: string | null }>(
      urlOf(connection),
      'select last_archived_wal as file from pg_stat_archiver',
    )
    if ((row?.file ?? '') >= (last?.file ?? '')) return
    if (performance.now() > deadline) throw new Error('the WAL was not archived in time')
    await delay(200)
  }
}

function call({ nextUrl, business }: Fleet, method: string, path: string, apiKey = business.apiKey) {
  return request(method, `${nextUrl()}${path}`, undefined, { headers: { authorization: `Bearer ${apiKey}` } })
}

async function placeOfNow(fleet: Fleet): Promise<string> {
  return placeIn(await call(fleet, 'GET', '/v0/events?after=now'))
}

function placeIn({ headers }: { headers: Headers }): string {
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  return (next && new URL(next).searchParams.get('after')) ?? ''
}

type Back = {
  restored: HandedOut
  settled: HandedOut
  told: Pick<
    RestoreReport,
    | 'firstDeliveryMs'
    | 'settledMs'
    | 'stuck'
    | 'readersTold'
    | 'keysEnded'
    | 'keysStillOpen'
    | 'auditFaults'
    | 'auditGapNamed'
  >
}

/** The steps of the page for operators, and then a load as before. */
async function comeBack(
  fleet: Fleet,
  { connection }: DebianPostgres,
  gap: Gap,
  options: RestoreOptions,
): Promise<Back> {
  const { seconds, seed, say } = options
  const { deployment, business } = fleet
  const operator = operatorOf(fleet, connection)
  const ended = answerOf(await operator('after-restore', '--end-keys')) as { apiKeys: { ended: number } }
  say(`after-restore: ${JSON.stringify(ended)}`)
  const restored = await deployment.db.read((query) => readHandedOut(query, business.id))
  const [began] = await askOn<{ now: Date }>(urlOf(connection), 'select clock_timestamp() as now')
  const startedAt = performance.now()
  const lines = fleet.lines.length
  await Promise.all(fleet.replicas.map((replica) => replica.restart()))
  const issued = answerOf(await operator('key', 'issue', '--customer', business.id)) as { key: string }
  const again: Fleet = { ...fleet, business: { ...business, apiKey: issued.key, mark: `${business.mark}again` } }
  const load = startMixedLoad(again, { ...options, seed: seed + 1 })
  while (fleet.lines.length === lines && performance.now() - startedAt < levelMsMax) await delay(20)
  const firstDeliveryMs = Math.round(performance.now() - startedAt)
  await delay(seconds * 1_000)
  await load.stop()
  await load.finishReading()
  const left = await untilLevel(again, began?.now ?? new Date(), levelMsMax)
  for (const line of left) say(`left: ${line}`)
  const settledMs = Math.round(performance.now() - startedAt)
  const settled = await deployment.db.read((query) => readHandedOut(query, business.id))
  const audit = (await operator('audit', 'verify')).answer as { findings: unknown[] }
  return {
    restored,
    settled,
    told: {
      firstDeliveryMs,
      settledMs,
      stuck: left.length,
      readersTold: await countTold(again, gap.place),
      keysEnded: ended.apiKeys.ended,
      keysStillOpen: await countOpen(again, gap.keys),
      auditFaults: audit.findings.length,
      auditGapNamed: await countNamed(operator, gap.heads),
    },
  }
}

/** A reader that was beyond the restored end is told how much is gone, and finds the later events behind the link. */
async function countTold(fleet: Fleet, place: string): Promise<number> {
  const gone = await call(fleet, 'GET', `/v0/events?after=${place}`)
  if (gone.status !== 409 || gone.body?.error?.code !== 'cursor_expired') return 0
  const next = await call(fleet, 'GET', `/v0/events?after=${placeIn(gone)}`)
  return next.status === 200 && next.body.data.length > 0 ? 1 : 0
}

async function countOpen(fleet: Fleet, keys: readonly string[]): Promise<number> {
  const answers = await Promise.all(keys.map((key) => call(fleet, 'GET', '/v0/end-users?limit=1', key)))
  return answers.filter(({ status }) => status !== 401).length
}

async function countNamed(operator: ReturnType<typeof operatorOf>, heads: unknown): Promise<number> {
  await using home = openHome()
  const path = `${home.path}/heads.json`
  await writeFile(path, JSON.stringify(heads))
  const told = await operator('audit', 'verify', '--heads', path)
  const { findings } = told.answer as { findings: { kind: string }[] }
  return told.code === 1 ? findings.filter(({ kind }) => kind === 'not_as_published').length : 0
}
