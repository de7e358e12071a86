// Alert channels, alerts and their messages, as the API describes them.

import { Type } from 'typebox'
import { emailPattern } from '../platform/email-address.ts'
import { closed, idOf, isoTime, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { alertKinds } from './kinds.rules.ts'

const type = oneOf('AlertChannelType', ['email', 'slack', 'webhook'], {
  description:
    '`email`: plain text by email. `slack`: an incoming webhook of Slack, or of a service that accepts the same requests. `webhook`: JSON with `type`, `version`, `id`, `subject`, `text`, `alertCount` and `alerts` (at most 100), signed like event deliveries.',
})
const status = oneOf('AlertChannelStatus', ['enabled', 'paused'])
export const kind = oneOf('AlertKind', alertKinds)
export const state = oneOf('AlertState', ['open', 'recovered', 'occurred'], {
  description:
    '`open` until the cause ends, then `recovered`. `occurred`: an alert without a recovery, such as a new API key.',
})
export const messageState = oneOf('AlertMessageState', ['pending', 'sent', 'failed'])
const phase = oneOf('AlertPhase', ['opened', 'recovered'])

const settings = {
  name: lineOf(100),
  emails: Type.Array(
    Type.String({ maxLength: 254, pattern: emailPattern, errorText: 'must be an email address, without a name' }),
    { minItems: 1, maxItems: 10, uniqueItems: true, description: 'The recipients of a channel of type `email`.' },
  ),
  url: Type.String({
    minLength: 1,
    description: 'The URL of a channel of type `slack` or `webhook`: absolute, `https`, with a public host.',
  }),
  kinds: Type.Array(oneOf('AlertKindFilter', ['*', ...alertKinds]), {
    minItems: 1,
    maxItems: 30,
    uniqueItems: true,
    description: 'The kinds of alerts that the channel gets, or `*` for all. Default: `["*"]`.',
  }),
  endpointFailingMinutes: Type.Integer({
    minimum: 1,
    maximum: 1_440,
    description: 'How long an endpoint must fail before the channel gets an alert. Default: 15.',
  }),
}

const { name, emails, url, kinds, endpointFailingMinutes } = settings

export const newChannel = closed({
  type,
  name: Type.Optional(name),
  emails: Type.Optional(emails),
  url: Type.Optional(url),
  kinds: Type.Optional(kinds),
  endpointFailingMinutes: Type.Optional(endpointFailingMinutes),
})

export const channelChange = closed(
  {
    name: Type.Optional(name),
    emails: Type.Optional(emails),
    url: Type.Optional(url),
    kinds: Type.Optional(kinds),
    endpointFailingMinutes: Type.Optional(endpointFailingMinutes),
    status: Type.Optional(status),
  },
  { minProperties: 1 },
)

const channelFields = {
  id: idOf('alertChannel'),
  type,
  name: Type.String(),
  emails: Type.Array(Type.String(), { description: 'Empty unless the type is `email`.' }),
  urlOrigin: nullable(
    Type.String({
      description:
        'Scheme, host and port of the URL. The rest may be a secret and is never returned. Null for `email`.',
      examples: ['https://hooks.slack.com'],
    }),
  ),
  kinds: Type.Array(Type.String()),
  endpointFailingMinutes: Type.Integer(),
  status,
  createdAt: isoTime,
  updatedAt: isoTime,
}

export const alertChannel = named('AlertChannel', channelFields)

export const createdChannel = named('CreatedAlertChannel', {
  ...channelFields,
  signingSecret: Type.Optional(
    Type.String({
      description: '`whsec_…`, for verifying signatures. Only this response contains it, and only for type `webhook`.',
    }),
  ),
})

export const alert = named(
  { title: 'Alert', description: 'One cause, from its begin to its end. Contains no identity data.' },
  {
    id: idOf('alert'),
    kind,
    subjectId: Type.String({
      description: 'The ID of the object: an endpoint, a deposit, an account, a request or a key.',
    }),
    state,
    details: Type.Unsafe<JsonObject>({
      type: 'object',
      additionalProperties: true,
      description: 'Facts about the alert, such as `host`, `reason` or `count`.',
    }),
    openedAt: { ...isoTime, description: 'Since when the cause exists.' },
    recoveredAt: nullable(isoTime),
    createdAt: { ...isoTime, description: 'When Causeway noticed the cause.' },
  },
)

export const alertMessage = named(
  { title: 'AlertMessage', description: 'One message to a channel. A message groups all alerts that waited for it.' },
  {
    id: idOf('alertMessage', { description: 'Also the `webhook-id`, and the start of the `Message-ID` of an email.' }),
    channelId: idOf('alertChannel'),
    isTest: Type.Boolean(),
    subject: Type.String(),
    alertCount: Type.Integer({ description: 'How many alerts the message contains.' }),
    alerts: Type.Array(named('AlertInMessage', { alertId: idOf('alert'), kind, phase, subjectId: Type.String() }), {
      description: 'The first 10 of them.',
    }),
    state: messageState,
    attempts: Type.Integer(),
    lastOutcome: nullable(Type.String({ description: 'The result of the last attempt.' })),
    nextAttemptAt: nullable(isoTime),
    sentAt: nullable(isoTime),
    createdAt: isoTime,
  },
)

export const testSent = named('AlertTestSent', {
  messageId: idOf('alertMessage', {
    description: 'The message, which `GET /v0/alert-messages` lists with its outcome.',
  }),
})
