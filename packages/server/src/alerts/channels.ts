// Alert channels: create, change, delete, test; and the lists of alerts and messages. For a business, and for the operator: the
// operator's rows belong to the deployment.

import { type AuditAction, deploymentChain } from '../audit/audit.rules.ts'
import { appendAudit } from '../audit/log.ts'
import type { Core } from '../platform/core.ts'
import { type ApiError, fail } from '../platform/errors.ts'
import { type Actor, actorOf } from '../platform/http/caller.ts'
import { answeringTransaction } from '../platform/http/idempotency/service.ts'
import type { HeldKey, RequestScope } from '../platform/http/scope.ts'
import type { PageRequest } from '../platform/postgres/paging.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { parseWebhookUrl } from '../platform/values/business-url.ts'
import { makeId } from '../platform/values/ids.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { isoTime } from '../platform/values/time.ts'
import { newSecret } from '../webhooks/signing.ts'
import * as store from './channels.store.ts'
import { insertMessage } from './messages/messages.store.ts'
import { type Content, shownMax, subjectLine } from './messages/text.rules.ts'

/** Per business, and for the operator. */
export const channelsMax = 10
const testPeriodSeconds = 60
export const failingMinutesDefault = 15

/** The owner of channels, who acts for it, and where the response is stored. */
export type Owner = { id: string; name: string | null; actor: Actor; held: HeldKey | null }

export const businessOwner = ({ business, held }: Pick<RequestScope, 'business' | 'held'>): Owner => ({
  id: business.id,
  name: business.name,
  actor: actorOf(business),
  held,
})

export const operatorOwner = (actor: Actor): Owner => ({ id: deploymentChain, name: null, actor, held: null })

export type ChannelInput = {
  name?: string
  emails?: string[]
  url?: string
  kinds?: string[]
  endpointFailingMinutes?: number
}

export function channelView(row: store.ChannelRow) {
  const { id, type, name, emails, urlOrigin, kinds, endpointFailingMinutes, status } = row
  return {
    ...{ id, type, name, emails, urlOrigin, kinds, endpointFailingMinutes, status },
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

export function alertView({ businessId: _, ...row }: store.AlertRow) {
  return {
    ...row,
    openedAt: isoTime(row.openedAt),
    recoveredAt: row.recoveredAt && isoTime(row.recoveredAt),
    createdAt: isoTime(row.createdAt),
  }
}

export function messageView(row: store.MessageRow) {
  const { id, channelId, isTest, subject, content, state, attempts, nextAttemptAt, lastOutcome, sentAt } = row
  return {
    ...{ id, channelId, isTest, subject, state, attempts, lastOutcome },
    alertCount: content.total,
    alerts: content.alerts
      .slice(0, shownMax)
      .map(({ id: alertId, kind, phase, subjectId }) => ({ alertId, kind, phase, subjectId })),
    nextAttemptAt: nextAttemptAt && isoTime(nextAttemptAt),
    sentAt: sentAt && isoTime(sentAt),
    createdAt: isoTime(row.createdAt),
  }
}

export async function listChannels(deps: Core, { id }: Owner, page: PageRequest) {
  return await deps.db.read((query) => store.listChannels(query, id, page))
}

/** @throws ApiError `alert_channel_not_found` */
export async function getChannel(deps: Core, owner: Owner, id: string) {
  const row = await deps.db.read((query) => store.findChannel(query, owner.id, id))
  if (!row) throw fail('alert_channel_not_found')
  return channelView(row)
}

/** @throws ApiError `invalid_alert_channel`, `email_not_configured`, `alert_channel_limit_reached` */
export async function createChannel(deps: Core, owner: Owner, input: ChannelInput & { type: store.ChannelType }) {
  const { type, kinds = ['*'], endpointFailingMinutes = failingMinutesDefault } = input
  const emails = input.emails ?? []
  requireTarget(deps, type, input)
  const target = input.url === undefined ? noUrl : urlColumns(deps, owner, input.url)
  const signingSecret = type === 'webhook' ? newSecret(deps.randomBytes) : null
  const made = await answeringTransaction(deps, owner.held, async (tx) => {
    if ((await store.lockChannelCount(tx, owner.id)) >= channelsMax)
      throw fail('alert_channel_limit_reached', { facts: { channelsMax } })
    const row = await store.insertChannel(tx, {
      ...{ businessId: owner.id, type, emails, kinds, endpointFailingMinutes, ...target },
      id: makeId('alertChannel', deps.randomBytes(16)),
      name: input.name ?? nameOf(type),
      secretSealed: signingSecret === null ? null : deps.secrets.seal(signingSecret, owner.id),
    })
    await auditChannel(deps, tx, owner, row.id, 'created', { type })
    return { ...channelView(row), ...(signingSecret !== null && { signingSecret }) }
  })
  deps.wake('alerts')
  return made
}

const nameOf = (type: store.ChannelType): string => ({ email: 'Email', slack: 'Slack', webhook: 'Webhook' })[type]

const noUrl = { urlOrigin: null, urlSealed: null }

/** @throws ApiError `invalid_alert_channel` */
function urlColumns(deps: Core, owner: Owner, text: string) {
  const parsed = parseWebhookUrl(text, { allowLoopbackHttp: deps.config.mode === 'sandbox' })
  if (!parsed.ok) throw invalid(...parsed.problems.map(({ message }) => ['url', message] as const))
  return { urlOrigin: new URL(parsed.url).origin, urlSealed: deps.secrets.seal(parsed.url, owner.id) }
}

function invalid(...problems: (readonly [param: string, rule: string])[]): ApiError {
  const code = 'invalid_alert_channel'
  const details = problems.map(([param, rule]) => ({ param, code, message: `${param} ${rule}` }))
  return fail(code, { details })
}

/** Requires the target that the type needs, and no other. */
function requireTarget(deps: Core, type: store.ChannelType, { emails, url }: ChannelInput): void {
  const [wanted, other] = type === 'email' ? (['emails', 'url'] as const) : (['url', 'emails'] as const)
  const given = { emails, url }
  if (given[wanted] === undefined) throw invalid([wanted, `is required for a channel of type ${type}.`])
  if (given[other] !== undefined) throw invalid([other, `is not allowed for a channel of type ${type}.`])
  if (type === 'email') requireMail(deps)
}

function requireMail({ config }: Core): void {
  if (config.smtpUrl === undefined || config.alertEmailFrom === undefined) throw fail('email_not_configured')
}

/** @throws ApiError `alert_channel_not_found`, `invalid_alert_channel` */
export async function changeChannel(
  deps: Core,
  owner: Owner,
  id: string,
  { url, ...rest }: ChannelInput & { status?: 'enabled' | 'paused' },
) {
  const target = url === undefined ? {} : urlColumns(deps, owner, url)
  const changed = await answeringTransaction(deps, owner.held, async (tx) => {
    const row = await store.lockChannel(tx, owner.id, id)
    if (!row) throw fail('alert_channel_not_found')
    const other = row.type === 'email' ? 'url' : 'emails'
    if ({ url, emails: rest.emails }[other] !== undefined)
      throw invalid([other, `is not allowed for a channel of type ${row.type}.`])
    const next = await store.updateChannel(tx, { ...row, ...rest, ...target })
    const fields = [...Object.keys(rest), ...(url === undefined ? [] : ['url'])]
    await auditChannel(deps, tx, owner, id, 'changed', { fields })
    return channelView(next)
  })
  deps.wake('alerts')
  return changed
}

/** Deletes a channel. Its messages stay in the log. @throws ApiError `alert_channel_not_found` */
export async function deleteChannel(deps: Core, owner: Owner, id: string): Promise<{ deleted: true }> {
  return await answeringTransaction(deps, owner.held, async (tx) => {
    if (!(await store.deleteChannel(tx, owner.id, id, 'The channel was deleted.')))
      throw fail('alert_channel_not_found')
    await auditChannel(deps, tx, owner, id, 'deleted')
    return { deleted: true } as const
  })
}

/**
 * Sends a test message to a channel, also to one that is paused.
 * @throws ApiError `alert_channel_not_found`, `alert_test_limited`, `email_not_configured`
 */
export async function testChannel(deps: Core, owner: Owner, id: string): Promise<{ messageId: string }> {
  const sent = await answeringTransaction(deps, owner.held, async (tx) => {
    const channel = await store.lockChannel(tx, owner.id, id)
    if (!channel) throw fail('alert_channel_not_found')
    if (channel.type === 'email') requireMail(deps)
    const waitSeconds = await store.takeTest(tx, owner.id, id, testPeriodSeconds)
    if (waitSeconds > 0) throw fail('alert_test_limited', { retryAfterSeconds: waitSeconds })
    const content: Content = { businessName: owner.name, isTest: true, alerts: [], total: 0 }
    const messageId = makeId('alertMessage', deps.randomBytes(16))
    const subject = subjectLine(content)
    await insertMessage(tx, { businessId: owner.id, id: messageId, channelId: id, isTest: true, subject, content })
    return { messageId }
  })
  deps.wake('alerts')
  return sent
}

export async function listAlerts(deps: Core, { id }: Owner, filter: store.AlertFilter, page: PageRequest) {
  return await deps.db.read((query) => store.listAlerts(query, id, filter, page))
}

export async function listMessages(deps: Core, { id }: Owner, filter: store.MessageFilter, page: PageRequest) {
  return await deps.db.read((query) => store.listMessages(query, id, filter, page))
}

type ChannelAct = Extract<AuditAction, `alert_channel.${string}`> extends `alert_channel.${infer A}` ? A : never

/** Neither addresses nor URLs: both may be a person's or a secret. */
async function auditChannel(
  deps: Core,
  tx: Tx,
  { id, actor }: Owner,
  subjectId: string,
  act: ChannelAct,
  details: JsonObject = {},
): Promise<void> {
  await appendAudit(deps, tx, actor, { businessId: id, action: `alert_channel.${act}`, subjectId, details })
}
