// Alert channels, alerts and messages: for a business, and the same for the operator.

import type { Core, ServerCore } from '../platform/core.ts'
import { operationsOf, operatorOperations } from '../platform/http/operation.ts'
import { shown, timeRange } from '../platform/http/schema/paging.ts'
import { anyId, deleted } from '../platform/http/schema/schema.ts'
import {
  alertView,
  businessOwner,
  changeChannel,
  channelView,
  createChannel,
  deleteChannel,
  getChannel,
  listAlerts,
  listChannels,
  listMessages,
  messageView,
  operatorOwner,
  testChannel,
} from './channels.ts'
import * as schema from './schema.ts'

const channel = { data: schema.alertChannel, errors: ['alert_channel_not_found'] } as const

const creation = {
  example: { body: () => ({ type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/token' }) },
  audit: ['alert_channel.created'],
  body: schema.newChannel,
  data: schema.createdChannel,
  errors: ['invalid_alert_channel', 'email_not_configured', 'alert_channel_limit_reached'],
} as const

const change = {
  example: { body: () => ({ endpointFailingMinutes: 30 }) },
  audit: ['alert_channel.changed'],
  body: schema.channelChange,
  data: schema.alertChannel,
  errors: ['invalid_alert_channel', 'alert_channel_not_found'],
} as const

const deletion = { audit: ['alert_channel.deleted'], data: deleted, errors: ['alert_channel_not_found'] } as const

const testing = {
  audit: { none: 'sends a message without content to an address that is already set' },
  data: schema.testSent,
  errors: ['alert_channel_not_found', 'alert_test_limited', 'email_not_configured'],
} as const

const alerts = {
  filters: { state: schema.state, kind: schema.kind, ...timeRange },
  items: schema.alert,
  unindexed: [['state', 'kind']],
} as const

const messages = {
  filters: { channelId: anyId, state: schema.messageState, ...timeRange },
  items: schema.alertMessage,
  unindexed: [['channelId', 'state']],
} as const

const { read, write, list } = operationsOf<Core>('Alerts', 'webhooks')

export const alertOperations = [
  list('GET /v0/alert-channels', {
    id: 'listAlertChannels',
    summary: 'List alert channels, newest first',
    sdk: 'alertChannels.list(query)',
    items: schema.alertChannel,
    run: async ({ deps, scope, page }) => shown(await listChannels(deps, businessOwner(scope), page), channelView),
  }),
  write('POST /v0/alert-channels', {
    id: 'createAlertChannel',
    summary: 'Create an alert channel',
    sdk: 'alertChannels.create(body)',
    description:
      'Causeway sends alerts to the channel, at most one message per minute: alerts of the same minute are grouped. A message that fails is retried for 24 hours. The channel also gets the alerts that are open now. A business can have at most 10 channels.',
    ...creation,
    run: ({ deps, scope, body }) => createChannel(deps, businessOwner(scope), body),
  }),
  read('GET /v0/alert-channels/:id', {
    id: 'getAlertChannel',
    summary: 'Read an alert channel',
    sdk: 'alertChannels.get(at)',
    ...channel,
    run: ({ deps, scope, params }) => getChannel(deps, businessOwner(scope), params.id),
  }),
  write('PATCH /v0/alert-channels/:id', {
    id: 'updateAlertChannel',
    summary: 'Update, pause or resume an alert channel',
    sdk: 'alertChannels.update(at, body)',
    description: 'A paused channel gets no alerts. When you enable it, it gets the alerts that are still open.',
    ...change,
    run: ({ deps, scope, params, body }) => changeChannel(deps, businessOwner(scope), params.id, body),
  }),
  write('DELETE /v0/alert-channels/:id', {
    id: 'deleteAlertChannel',
    summary: 'Delete an alert channel',
    sdk: 'alertChannels.delete(at)',
    description: 'Messages to the channel that were not sent are canceled. All its messages stay in the log.',
    ...deletion,
    run: ({ deps, scope, params }) => deleteChannel(deps, businessOwner(scope), params.id),
  }),
  write('POST /v0/alert-channels/:id/test', {
    id: 'testAlertChannel',
    summary: 'Send a test message to an alert channel',
    sdk: 'alertChannels.test(at)',
    description: 'At most once per minute. `GET /v0/alert-messages` shows the outcome.',
    ...testing,
    run: ({ deps, scope, params }) => testChannel(deps, businessOwner(scope), params.id),
  }),
  list('GET /v0/alerts', {
    id: 'listAlerts',
    summary: 'List alerts, newest first',
    sdk: 'alerts.list(query)',
    description: 'Causeway watches a business from its first alert channel on.',
    example: { query: () => ({ limit: 1 }) },
    ...alerts,
    run: async ({ deps, scope, filter, page }) =>
      shown(await listAlerts(deps, businessOwner(scope), filter, page), alertView),
  }),
  list('GET /v0/alert-messages', {
    id: 'listAlertMessages',
    summary: 'List messages to alert channels, newest first',
    sdk: 'alertMessages.list(query)',
    description: 'The log of what was sent, with the outcome of each message.',
    example: { query: () => ({ limit: 1 }) },
    ...messages,
    run: async ({ deps, scope, filter, page }) =>
      shown(await listMessages(deps, businessOwner(scope), filter, page), messageView),
  }),
]

const ofOperator = operatorOperations<ServerCore>()
const asOfBusiness = 'Like the operation of a business, for alerts about the deployment.'

export const operatorAlertOperations = [
  ofOperator.list('GET /v0/operator/alert-channels', {
    id: 'listOperatorAlertChannels',
    summary: 'List the operator’s alert channels, newest first',
    items: schema.alertChannel,
    run: async ({ deps, actor, page }) => shown(await listChannels(deps, operatorOwner(actor), page), channelView),
  }),
  ofOperator.write('POST /v0/operator/alert-channels', {
    id: 'createOperatorAlertChannel',
    summary: 'Create an alert channel of the operator',
    description: asOfBusiness,
    ...creation,
    run: ({ deps, actor, body }) => createChannel(deps, operatorOwner(actor), body),
  }),
  ofOperator.read('GET /v0/operator/alert-channels/:id', {
    id: 'getOperatorAlertChannel',
    summary: 'Read an alert channel of the operator',
    ...channel,
    run: ({ deps, actor, params }) => getChannel(deps, operatorOwner(actor), params.id),
  }),
  ofOperator.write('PATCH /v0/operator/alert-channels/:id', {
    id: 'updateOperatorAlertChannel',
    summary: 'Update, pause or resume an alert channel of the operator',
    ...change,
    run: ({ deps, actor, params, body }) => changeChannel(deps, operatorOwner(actor), params.id, body),
  }),
  ofOperator.write('DELETE /v0/operator/alert-channels/:id', {
    id: 'deleteOperatorAlertChannel',
    summary: 'Delete an alert channel of the operator',
    ...deletion,
    run: ({ deps, actor, params }) => deleteChannel(deps, operatorOwner(actor), params.id),
  }),
  ofOperator.write('POST /v0/operator/alert-channels/:id/test', {
    id: 'testOperatorAlertChannel',
    summary: 'Send a test message to an alert channel of the operator',
    ...testing,
    run: ({ deps, actor, params }) => testChannel(deps, operatorOwner(actor), params.id),
  }),
  ofOperator.list('GET /v0/operator/alerts', {
    id: 'listOperatorAlerts',
    summary: 'List the operator’s alerts, newest first',
    example: { query: () => ({ limit: 1 }) },
    ...alerts,
    run: async ({ deps, actor, filter, page }) =>
      shown(await listAlerts(deps, operatorOwner(actor), filter, page), alertView),
  }),
  ofOperator.list('GET /v0/operator/alert-messages', {
    id: 'listOperatorAlertMessages',
    summary: 'List messages to the operator’s alert channels, newest first',
    example: { query: () => ({ limit: 1 }) },
    ...messages,
    run: async ({ deps, actor, filter, page }) =>
      shown(await listMessages(deps, operatorOwner(actor), filter, page), messageView),
  }),
]
