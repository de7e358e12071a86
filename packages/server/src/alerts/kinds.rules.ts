// The kinds of alerts: what each says, what to do about it, and where the console shows it.

import type { JsonObject } from '../platform/values/json.ts'

export const businessAlertKinds = [
  'endpoint.failing',
  'endpoint.disabled',
  'deposit.in_review',
  'deposit.on_hold',
  'virtual_account.suspended',
  'virtual_account.bank_details_changed',
  'information_request.open',
  'api_key.created',
  'api_key.rolled',
  'api_key.revoked',
] as const

export const operatorAlertKinds = [
  'provider.failing',
  'provider.responses_unreadable',
  'provider.webhook_key_changed',
  'operations.unknown',
  'deliveries.backlog',
  'events.without_owner',
  'events.quarantined',
  'database.full',
  'information_request.open',
] as const

export type BusinessAlertKind = (typeof businessAlertKinds)[number]
export type OperatorAlertKind = (typeof operatorAlertKinds)[number]
export type AlertKind = BusinessAlertKind | OperatorAlertKind

export const alertKinds: readonly AlertKind[] = [...new Set([...businessAlertKinds, ...operatorAlertKinds])]

/** Actions of the audit log that are alerts without a recovery. */
export const kindByAction: Readonly<Record<string, AlertKind>> = {
  'api_key.created': 'api_key.created',
  'api_key.rolled': 'api_key.rolled',
  'api_key.revoked': 'api_key.revoked',
  'virtual_account.bank_details.changed': 'virtual_account.bank_details_changed',
}

type Meaning = {
  title: string
  /** The title of the recovery; null for a kind without one. */
  recovered: string | null
  /** One or two sentences. */
  action: string
  /** A path of the console, below `/console`. */
  page(subjectId: string, details: JsonObject): string
}

const audit = () => '/developers/audit'

export const meanings: Readonly<Record<AlertKind, Meaning>> = {
  'endpoint.failing': {
    title: 'Endpoint failing',
    recovered: 'Endpoint no longer failing',
    action: 'Check that your receiver runs and responds with a 2xx status. Causeway keeps the events and retries.',
    page: (id) => `/webhooks/${id}`,
  },
  'endpoint.disabled': {
    title: 'Endpoint disabled',
    recovered: 'Endpoint no longer disabled',
    action: 'Fix your receiver, then resume the endpoint. Causeway keeps its events until then.',
    page: (id) => `/webhooks/${id}`,
  },
  'deposit.in_review': {
    title: 'Deposit in review',
    recovered: 'Deposit no longer in review',
    action: 'The provider is reviewing the deposit. Wait, and respond to information requests about it.',
    page: (id) => `/deposits/${id}`,
  },
  'deposit.on_hold': {
    title: 'Deposit on hold',
    recovered: 'Deposit no longer on hold',
    action: 'The refund did not reach the sender. Contact the operator of this service about the deposit.',
    page: (id) => `/deposits/${id}`,
  },
  'virtual_account.suspended': {
    title: 'Virtual account suspended',
    recovered: 'Virtual account no longer suspended',
    action: 'Check the standing of its end-user. Do not show the bank details until the account is active again.',
    page: (id) => `/accounts/${id}`,
  },
  'virtual_account.bank_details_changed': {
    title: 'Bank details changed',
    recovered: null,
    action: 'Show the new deposit instructions to the end-user. Deposits to the old details may not arrive.',
    page: (id) => `/accounts/${id}`,
  },
  'information_request.open': {
    title: 'Information request open',
    recovered: 'Information request closed',
    action: 'The provider needs information. Respond before the deadline.',
    page: (_, { depositId }) => (typeof depositId === 'string' ? `/deposits/${depositId}` : '/end-users'),
  },
  'api_key.created': {
    title: 'API key created',
    recovered: null,
    action: 'If nobody on your team created the key, revoke it now.',
    page: audit,
  },
  'api_key.rolled': {
    title: 'API key rolled',
    recovered: null,
    action: 'If nobody on your team rolled the key, revoke the new key now.',
    page: audit,
  },
  'api_key.revoked': {
    title: 'API key revoked',
    recovered: null,
    action: 'If nobody on your team revoked the key, check the audit log for other changes.',
    page: audit,
  },
  'provider.failing': {
    title: 'Provider failing',
    recovered: 'Provider responds again',
    action: 'Run causeway doctor. See the alert CausewayProviderFails in the runbook.',
    page: () => '/operator',
  },
  'provider.responses_unreadable': {
    title: 'Provider responses unreadable',
    recovered: 'No open operation with an unreadable response',
    action: 'Run causeway doctor. See the alert CausewayResponsesUnreadable in the runbook.',
    page: () => '/operator',
  },
  'provider.webhook_key_changed': {
    title: 'Provider signs with an unknown key',
    recovered: 'Provider signs with a known key',
    action: 'The provider’s events are rejected. Run causeway provider connect.',
    page: () => '/operator',
  },
  'operations.unknown': {
    title: 'Writes with an unknown outcome',
    recovered: 'No old write with an unknown outcome',
    action: 'Do not repeat the writes. See the alert CausewayOutcomesUnknown in the runbook.',
    page: () => '/operator',
  },
  'deliveries.backlog': {
    title: 'Deliveries are late',
    recovered: 'Deliveries are on time',
    action: 'Check that a relay runs and can connect to the internet. See CausewayDeliveriesStand in the runbook.',
    page: () => '/operator',
  },
  'events.without_owner': {
    title: 'Events without an owner',
    recovered: 'No event without an owner',
    action: 'No business gets these events. See CausewayOwnersAmbiguous in the runbook.',
    page: () => '/operator/events',
  },
  'events.quarantined': {
    title: 'Events quarantined',
    recovered: 'No quarantined event',
    action: 'Retry the events under Held events. See CausewayEventsPutAside in the runbook.',
    page: () => '/operator/events',
  },
  'database.full': {
    title: 'Database cannot store data',
    recovered: 'Database stores data again',
    action: 'Check the free space on the disk of PostgreSQL first. Run causeway doctor.',
    page: () => '/operator',
  },
}
