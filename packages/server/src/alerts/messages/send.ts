// One attempt to send a message to its channel.

import type { Config } from '../../platform/config.ts'
import type { Sender } from '../../platform/guarded-http/sender.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import { isoTime } from '../../platform/values/time.ts'
import { version } from '../../platform/version.ts'
import { importSecret, sign } from '../../webhooks/signing.ts'
import { meanings } from '../kinds.rules.ts'
import type { Mailer } from './mail.ts'
import type { ClaimedMessage } from './messages.store.ts'
import { type Attempted, attemptOf } from './retry.rules.ts'
import { plainFormat, slackFormat, textOf } from './text.rules.ts'

export type SendsTo = {
  config: Config
  secrets: SecretBox
  now: () => number
  sender: Sender
  mailer: Mailer | null
}

const noMail: Attempted = {
  result: 'failed',
  said: 'This deployment cannot send email: SMTP_URL and ALERT_EMAIL_FROM are not set.',
  isFinal: false,
}

/** The name of pools and limits: the sender shares no connection between businesses. */
export async function sendMessage(deps: SendsTo, message: ClaimedMessage, signal: AbortSignal): Promise<Attempted> {
  const { id, emails, subject, createdAt, type } = message
  const consoleUrl = deps.config.publicUrl === undefined ? null : `${deps.config.publicUrl}/console`
  if (type === 'email') {
    const text = textOf(message.content, plainFormat, consoleUrl)
    return (await deps.mailer?.({ id, to: emails, subject, text, date: createdAt }, signal)) ?? noMail
  }
  const text = textOf(message.content, type === 'slack' ? slackFormat : plainFormat, consoleUrl)
  return type === 'slack'
    ? await post(deps, message, { text, unfurl_links: false, unfurl_media: false })
    : await post(deps, message, webhookBody(message, text), true)
}

async function post(
  { secrets, sender, now }: SendsTo,
  { id, businessId, urlSealed, secretSealed }: ClaimedMessage,
  content: object,
  isSigned = false,
): Promise<Attempted> {
  const body = Buffer.from(JSON.stringify(content))
  const headers = { 'content-type': 'application/json', 'user-agent': `Causeway/${version}` }
  const url = secrets.open(urlSealed ?? Buffer.alloc(0), businessId)
  const signature =
    isSigned && secretSealed
      ? sign({
          id,
          timestampSeconds: Math.floor(now() / 1000),
          body,
          secrets: [importSecret(secrets.open(secretSealed, businessId))],
        })
      : {}
  return attemptOf(await sender.send({ businessId, url, headers: { ...headers, ...signature }, body }))
}

/** The same at every attempt. */
function webhookBody({ id, createdAt, subject, content }: ClaimedMessage, text: string) {
  return {
    type: content.isTest ? 'alerts.test' : 'alerts',
    version: 1,
    id,
    createdAt: isoTime(createdAt),
    subject,
    text,
    alertCount: content.total,
    alerts: content.alerts.map((alert) => ({ ...alert, title: meanings[alert.kind].title })),
  }
}
