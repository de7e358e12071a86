// One round of the watch: opens and ends alerts, gives notices of them to channels, and composes one message per channel. Every
// step finds what an earlier round has done, so rounds may repeat, overlap, and end anywhere.

import { deploymentChain } from '../../audit/audit.rules.ts'
import { makeId } from '../../platform/values/ids.ts'
import { isoTime } from '../../platform/values/time.ts'
import { alertKinds, kindByAction, operatorAlertKinds } from '../kinds.rules.ts'
import {
  insertMessage,
  listNotices,
  lockForMessage,
  takeNotices,
  type WaitingNotice,
} from '../messages/messages.store.ts'
import { type Content, type Noticed, subjectLine } from '../messages/text.rules.ts'
import type { Alerts } from '../ports.ts'
import * as store from './rounds.store.ts'

export const roundSeconds = 10
/** The operator's facts cost more to read, and their thresholds are minutes. */
const operatorSeconds = 60
const messagePeriodSeconds = 60
/** Alerts that a message carries. Texts show fewer; a webhook gets all of these. */
const carriedMax = 100

/** Runs a round if one is due. @returns whether it composed a message */
export async function runRound(deps: Alerts): Promise<boolean> {
  const round = await deps.db.statement((query) => store.takeRound(query, { seconds: roundSeconds, operatorSeconds }))
  if (!round) return false
  if (round.isOperatorDue && (await deps.db.read((query) => store.isWatched(query, deploymentChain))))
    await followOperator(deps)
  let composed = false
  for (let after: string | null = ''; after !== null; ) {
    const seen: store.Look = await lookAndFollow(deps, after)
    for (const channel of seen.channels) composed = (await compose(deps, channel)) || composed
    after = seen.last
  }
  return composed
}

/** Follows a page of owners until it is up to date. @returns the last look */
async function lookAndFollow(deps: Alerts, after: string): Promise<store.Look> {
  for (;;) {
    const seen = await deps.db.read((query) => store.look(query, after))
    const hasNews = seen.opened.length + seen.recovered.length + seen.entries.length > 0
    if (hasNews) await follow(deps, seen)
    if (hasNews || seen.hasNotices) while ((await deps.db.transaction(store.giveNotices)) > 0);
    else return seen
  }
}

async function follow(deps: Alerts, { opened, recovered, entries }: store.Look): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (recovered.length > 0) await store.recoverAlerts(tx, recovered)
    const occurred: store.NewAlert[] = []
    for (const [owner, read] of Map.groupBy(entries, ({ businessId }) => businessId)) {
      const [first, last] = [read.at(0), read.at(-1)]
      if (first && last && (await store.moveReading(tx, owner, first.number, last.number)))
        occurred.push(...read.flatMap((entry) => alertOf(deps, entry)))
    }
    const open = opened.map((found) => newAlert(deps, found, 'open'))
    if (open.length + occurred.length > 0) await store.openAlerts(tx, [...open, ...occurred])
  })
}

const newAlert = ({ randomBytes }: Alerts, found: store.Found, state: 'open' | 'occurred'): store.NewAlert => ({
  ...found,
  id: makeId('alert', randomBytes(16)),
  state,
})

function alertOf(deps: Alerts, { businessId, action, subjectId, at, details }: store.Entry): store.NewAlert[] {
  const kind = kindByAction[action]
  if (kind === undefined) return []
  return [newAlert(deps, { businessId, kind, subjectId, since: at, details }, 'occurred')]
}

/** Opens and ends the operator's alerts by the facts of now. */
async function followOperator(deps: Alerts): Promise<void> {
  const causes = await deps.readOperatorCauses()
  if (causes === null) return
  const businessId = deploymentChain
  const own = operatorAlertKinds.filter((kind) => kind !== 'information_request.open')
  const holding = new Set<string>(causes.map(({ kind }) => kind))
  await deps.db.transaction(async (tx) => {
    const open = await store.listOpenOfOperator(tx, businessId, own)
    const ended = open.filter(({ kind }) => !holding.has(kind))
    if (ended.length > 0) await store.recoverAlerts(tx, ended)
    const known = new Set(open.map(({ kind }) => kind))
    const since = isoTime(deps.now())
    const found = causes
      .filter(({ kind }) => !known.has(kind))
      .map(({ kind, details }) => newAlert(deps, { businessId, kind, subjectId: businessId, since, details }, 'open'))
    if (found.length > 0) await store.openAlerts(tx, found)
  })
}

/** Composes one message of all notices that wait for a channel. */
async function compose(deps: Alerts, { businessId, id: channelId }: { businessId: string; id: string }) {
  return await deps.db.transaction(async (tx) => {
    const channel = await lockForMessage(tx, businessId, channelId)
    if (!channel) return false
    const notices = (await listNotices(tx, businessId, channelId)).toSorted((a, b) => rankOf(a) - rankOf(b))
    if (notices.length === 0) return false
    const content: Content = {
      businessName: channel.businessName,
      isTest: false,
      alerts: notices.slice(0, carriedMax).map(noticedOf),
      total: notices.length,
    }
    const id = makeId('alertMessage', deps.randomBytes(16))
    const message = { businessId, id, channelId, isTest: false, subject: subjectLine(content), content }
    await insertMessage(tx, message)
    await takeNotices(tx, message, notices, messagePeriodSeconds)
    return true
  })
}

/** Alerts before recoveries, in the order of the kinds: the subject of a message names the first. */
const rankOf = ({ phase, kind }: WaitingNotice): number =>
  alertKinds.indexOf(kind) + (phase === 'recovered' ? alertKinds.length : 0)

function noticedOf({ alertId, phase, kind, subjectId, details, openedAt, recoveredAt }: WaitingNotice): Noticed {
  const times = { openedAt: isoTime(openedAt), recoveredAt: recoveredAt && isoTime(recoveredAt) }
  return { id: alertId, kind, phase, subjectId, details, ...times }
}
