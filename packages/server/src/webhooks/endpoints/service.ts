// The webhook endpoints of a business: create, change, rotate a secret, test, disable and delete.
// Above the usual length: includes the view and the audit entries, each of which is a few lines.

import type { AuditAction } from '../../audit/audit.rules.ts'
import { appendAudit } from '../../audit/log.ts'
import {
  type BusinessEventType,
  type EventTypeWarning,
  eventSources,
  eventTypeWarnings,
} from '../../events/catalogue.rules.ts'
import { emit, prepareToEmit } from '../../events/emit.ts'
import exampleData from '../../events/examples.gen.json' with { type: 'json' }
import type { Core } from '../../platform/core.ts'
import { type ErrorCode, fail } from '../../platform/errors.ts'
import { type Actor, actorOf, type Business, causeway } from '../../platform/http/caller.ts'
import { answeringTransaction } from '../../platform/http/idempotency/service.ts'
import type { RequestScope } from '../../platform/http/scope.ts'
import type { Page, PageRequest } from '../../platform/postgres/paging.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import { parseWebhookUrl } from '../../platform/values/business-url.ts'
import { deliveryIdOf, makeId } from '../../platform/values/ids.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import { isoTime } from '../../platform/values/time.ts'
import { newSecret } from '../signing.ts'
import type { Endpoints } from './ports.ts'
import * as store from './store.ts'

/** Per business: an event is stored with a delivery for each endpoint that subscribes to it. */
export const endpointsMax = 20

export function endpointView(row: store.WebhookEndpointRow) {
  return {
    id: row.id,
    webhookUrl: row.url,
    description: row.description,
    isDefault: row.isDefault,
    status: row.status,
    disabledReason: row.disabledReason,
    eventTypes: row.eventTypes,
    sources: row.sources,
    ordering: row.ordering,
    sequence: row.sequence,
    failingSince: row.failingSince ? isoTime(row.failingSince) : null,
    previousSecretExpiresAt: row.previousSecretExpiresAt ? isoTime(row.previousSecretExpiresAt) : null,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

export type EndpointInput = { webhookUrl?: string } & Partial<
  Pick<store.WebhookEndpointRow, 'description' | 'eventTypes' | 'sources' | 'ordering'>
>

export async function listEndpoints(
  deps: Core,
  business: Business,
  page: PageRequest,
): Promise<Page<store.WebhookEndpointRow>> {
  return await deps.db.read((query) => store.listEndpoints(query, business.id, page))
}

/** @throws ApiError `webhook_endpoint_not_found` */
export async function getEndpoint(deps: Core, business: Business, id: string) {
  return endpointView(await deps.db.read((query) => endpointOf(query, business, id)))
}

async function endpointOf(query: Query, business: Business, id: string): Promise<store.WebhookEndpointRow> {
  const row = await store.findEndpoint(query, business.id, id)
  if (!row) throw fail('webhook_endpoint_not_found')
  return row
}

/** Who writes, and where the response is stored. */
export type Writer = Pick<RequestScope, 'business' | 'held'>

/** Creates an endpoint, for events from now on. @throws ApiError `invalid_webhook_url`, `webhook_endpoint_limit_reached` */
export async function createEndpoint(
  deps: Endpoints,
  { business, held }: Writer,
  input: EndpointInput & { webhookUrl: string },
) {
  const { webhookUrl, ...rest } = input
  const url = acceptUrl(deps, webhookUrl)
  return await answeringTransaction(deps, held, async (tx) => {
    requireRoom((await store.lockEndpointCount(tx, business.id)) ?? 0)
    const made = { url, isDefault: false, ...rest }
    const { row, signingSecret } = await makeEndpoint(deps, tx, business.id, made, actorOf(business))
    return { ...endpointView(row), ...warningsOf(deps, row), signingSecret }
  })
}

function warningsOf(
  { provider }: Endpoints,
  { eventTypes, sources }: store.WebhookEndpointRow,
): { warnings?: EventTypeWarning[] } {
  const warnings = eventTypeWarnings(eventTypes, sources, provider.events.types)
  return warnings.length === 0 ? {} : { warnings }
}

export function requireRoom(count: number): void {
  if (count >= endpointsMax)
    throw fail('webhook_endpoint_limit_reached', { facts: { endpointsMax: String(endpointsMax) } })
}

/** Parses a webhook URL. @throws ApiError `invalid_webhook_url` */
export function acceptUrl(deps: Core, webhookUrl: string): string {
  const parsed = parseWebhookUrl(webhookUrl, { allowLoopbackHttp: deps.config.mode === 'sandbox' })
  if (parsed.ok) return parsed.url
  const code = 'invalid_webhook_url'
  const details = parsed.problems.map(({ message }) => ({
    param: 'webhookUrl',
    code,
    message: `webhookUrl ${message}`,
  }))
  throw fail(code, { message: `webhookUrl ${parsed.message}`, details })
}

export async function makeEndpoint(
  deps: Core,
  tx: Tx,
  businessId: string,
  made: Omit<EndpointInput, 'webhookUrl'> & { url: string; isDefault: boolean },
  by: Actor,
): Promise<{ row: store.WebhookEndpointRow; signingSecret: string }> {
  const signingSecret = newSecret(deps.randomBytes)
  const row = await store.insertEndpoint(tx, {
    description: null,
    eventTypes: ['*'],
    sources: [...eventSources],
    ordering: 'best_effort',
    ...made,
    businessId,
    id: makeId('webhookEndpoint', deps.randomBytes(16)),
    secretSealed: deps.secrets.seal(signingSecret, businessId),
  })
  await auditEndpoint(deps, tx, by, row, 'created', { to: originOf(row.url), isDefault: row.isDefault })
  return { row, signingSecret }
}

/**
 * Changes an endpoint. New types apply to events from now on, a new ordering also to queued deliveries.
 * @throws ApiError `webhook_endpoint_not_found`, `invalid_webhook_url`
 */
export async function changeEndpoint(
  deps: Endpoints,
  { business, held }: Writer,
  id: string,
  { webhookUrl, ...rest }: EndpointInput & { status?: 'enabled' | 'paused' },
) {
  const known = await deps.db.read((query) => endpointOf(query, business, id))
  const changes = {
    ...rest,
    ...(webhookUrl === undefined ? {} : { url: acceptUrl(deps, webhookUrl) }),
    ...(rest.status === undefined ? {} : { disabledReason: null }),
  }
  const isReordered = rest.ordering !== undefined && rest.ordering !== known.ordering
  // Deliveries are marked as ordered before the endpoint changes, and unmarked after it. In the other order, a crash in
  // between would leave blocked deliveries that no lane looks for.
  if (isReordered && rest.ordering === 'per_end_user') await reorderBacklog(deps, id, true)
  const changed = await answeringTransaction(deps, held, async (tx) => {
    const row = await store.lockEndpoint(tx, business.id, id)
    if (!row) throw fail('webhook_endpoint_not_found')
    const next = await store.changeEndpoint(tx, row, changes)
    await auditChange(deps, tx, actorOf(business), row, next)
    return { ...endpointView(next), ...warningsOf(deps, next) }
  })
  if (isReordered && rest.ordering === 'best_effort') await reorderBacklog(deps, id, false)
  return changed
}

/** Runs in separate transactions: the change of the endpoint locks its lane, and delays new events. */
async function reorderBacklog(deps: Core, id: string, isOrdered: boolean): Promise<void> {
  let after: number | null = 0
  while (after !== null) {
    const done: number = after
    after = await deps.db.transaction((tx) => store.reorderPiece(tx, id, isOrdered, done))
  }
}

/**
 * Deletes an endpoint and cancels its queued deliveries. The events remain.
 * @param absent the error if there is no such endpoint
 * @throws ApiError `webhook_endpoint_not_found`, or `absent`
 */
export async function deleteEndpoint(
  deps: Core,
  { business, held }: Writer,
  id: string,
  absent: ErrorCode = 'webhook_endpoint_not_found',
): Promise<{ deleted: true }> {
  const businessId = business.id
  const deleted = await answeringTransaction(deps, held, async (tx) => {
    if (!(await store.deleteEndpoint(tx, businessId, id))) throw fail(absent)
    await auditEndpoint(deps, tx, actorOf(business), { businessId, id }, 'deleted')
    return { deleted: true } as const
  })
  await cancelBacklog(deps, id).catch((err: unknown) =>
    deps.log.warn({ err, endpoint: id }, 'deliveries of a deleted endpoint not canceled, left to the sweep'),
  )
  return deleted
}

async function cancelBacklog(deps: Core, id: string): Promise<void> {
  while (await deps.db.transaction((tx) => store.cancelPiece(tx, id)));
}

/**
 * Cancels the remaining deliveries of deleted endpoints, in case the server that deleted an endpoint crashed. Runs
 * across businesses.
 */
export async function finishDeletions(deps: Core): Promise<void> {
  for (const id of await deps.db.read(store.listDeletedEndpoints)) await cancelBacklog(deps, id)
}

/**
 * Replaces the signing secret. The old secret also signs for `overlapHours`. At most two secrets sign: during an
 * overlap the oldest of three ends.
 * @throws ApiError `webhook_endpoint_not_found`
 */
export async function rotateSecret(deps: Core, { business, held }: Writer, id: string, overlapHours: number) {
  const signingSecret = newSecret(deps.randomBytes)
  const rotation = { secretSealed: deps.secrets.seal(signingSecret, business.id), overlapHours }
  return await answeringTransaction(deps, held, async (tx) => {
    const row = await store.rotateSecret(tx, business.id, id, rotation)
    if (!row) throw fail('webhook_endpoint_not_found')
    await auditEndpoint(deps, tx, actorOf(business), row, 'secret_rotated', { overlapHours })
    return { ...endpointView(row), signingSecret }
  })
}

/**
 * Emits a test event to this endpoint only, regardless of its event types: about the endpoint itself, or an example of
 * another type.
 * @throws ApiError `webhook_endpoint_not_found`
 */
export async function testEndpoint(
  deps: Core,
  { business, held }: Writer,
  id: string,
  eventType: BusinessEventType = 'webhook_endpoint.test',
): Promise<{ eventId: string; deliveryId: string }> {
  return await answeringTransaction(deps, held, async (tx) => {
    const row = await endpointOf(tx, business, id)
    const data = eventType === 'webhook_endpoint.test' ? endpointView(row) : exampleData[eventType]
    const eventId = await emit(deps, tx, eventType, ownerOf(row), data, id)
    return { eventId, deliveryId: deliveryIdOf(eventId, id) }
  })
}

/**
 * Disables an endpoint that returned 410 or whose attempts all fail, and emits an event to the other endpoints of the
 * business. This endpoint gets the event after it is enabled again.
 * @param verdict `startedMs`: when the attempt behind the decision started, by `performance.now`. An endpoint that was
 * enabled or moved since then does not change
 */
export async function disableFailingEndpoint(
  deps: Core,
  { businessId, endpointId }: { businessId: string; endpointId: string },
  { disabledReason, startedMs }: { disabledReason: string; startedMs: number },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    // Computed inside the transaction, because its start may have waited for a connection.
    const verdict = { disabledReason, beganMsAgo: performance.now() - startedMs }
    await prepareToEmit(tx, businessId)
    const row = await store.disableEndpoint(tx, businessId, endpointId, verdict)
    if (!row) return
    await emit(deps, tx, 'webhook_endpoint.disabled', ownerOf(row), endpointView(row))
    await auditEndpoint(deps, tx, causeway, row, 'disabled', { reason: disabledReason })
  })
}

function ownerOf({ businessId }: store.WebhookEndpointRow) {
  return { businessId, endUserId: null, virtualAccountId: null, externalUserId: null }
}

// Audit entries contain only the origin of a URL: its path may contain a token of the receiver.

type EndpointAct = Extract<AuditAction, `webhook_endpoint.${string}`> extends `webhook_endpoint.${infer A}` ? A : never

async function auditEndpoint(
  deps: Core,
  tx: Tx,
  by: Actor,
  { businessId, id }: Pick<store.WebhookEndpointRow, 'businessId' | 'id'>,
  act: EndpointAct,
  details: JsonObject = {},
): Promise<void> {
  await appendAudit(deps, tx, by, { businessId, action: `webhook_endpoint.${act}`, subjectId: id, details })
}

/** Appends an entry for changed fields and an entry for a new status. */
export async function auditChange(
  deps: Core,
  tx: Tx,
  by: Actor,
  before: store.WebhookEndpointRow,
  after: store.WebhookEndpointRow,
): Promise<void> {
  const fields = (['url', 'description', 'eventTypes', 'sources', 'ordering'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  if (fields.length > 0) {
    const move = fields.includes('url') ? { from: originOf(before.url), to: originOf(after.url) } : {}
    await auditEndpoint(deps, tx, by, after, 'changed', { fields, ...move })
  }
  if (before.status !== after.status) await auditEndpoint(deps, tx, by, after, after.status)
}

function originOf(url: string): string {
  return new URL(url).origin
}
