// Alerts by email leave over TLS, and to nobody but their recipients.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMailer, type Mail } from '../src/alerts/messages/mail.ts'
import { parseConfig } from '../src/platform/settings.ts'
import { until } from './caller.ts'
import { openMailServer } from './mail-server.ts'

const letter: Mail = {
  id: 'alm_1',
  to: ['ops@acme.example', 'night@acme.example'],
  subject: '[Causeway] Test message',
  text: 'This is a test message.',
  date: new Date('2026-01-31T12:00:00.000Z'),
}
const local = {
  deploymentSecret: 'a-deployment-secret-of-the-tests-alone',
  adminSecret: 'an-admin-secret-of-the-tests',
}
const ever = new AbortController().signal

function mailerAt(smtpUrl: string, mode: 'sandbox' | 'live' = 'sandbox') {
  const env = { SMTP_URL: smtpUrl, ALERT_EMAIL_FROM: 'alerts@causeway.example', PROVIDER_API_KEY: 'key' }
  return createMailer({ ...parseConfig(env, local), mode }) ?? assert.fail('no mailer')
}

test('in sandbox mode, a server on loopback takes mail without TLS', async () => {
  await using server = await openMailServer()
  assert.deepEqual(await mailerAt(server.url)(letter, ever), {
    ...{ result: 'sent', said: 'The mail server accepted the message.' },
  })
  const [seen] = server.seen
  assert.deepEqual([seen?.from, seen?.to], ['alerts@causeway.example', letter.to])
  assert.equal(seen?.headers.get('message-id'), '<alm_1@causeway.example>')
  assert.equal(seen?.headers.get('auto-submitted'), 'auto-generated')
})

test('in live mode, a server without STARTTLS gets nothing', async () => {
  await using server = await openMailServer()
  const attempted = await mailerAt(server.url, 'live')(letter, ever)
  assert.equal(attempted.result, 'failed')
  assert.deepEqual(server.seen, [])
})

test('a subject and text with line breaks and headers add no header and no recipient', async () => {
  await using server = await openMailServer()
  const subject = 'A\r\nBcc: thief@evil.example\r\n\r\nB'
  await mailerAt(server.url)({ ...letter, subject, text: '\r\n.\r\nRCPT TO:<thief@evil.example>\r\nDATA\r\n' }, ever)
  const [seen, ...others] = server.seen
  assert.deepEqual([seen?.to, others], [letter.to, []])
  assert.equal(seen?.headers.get('bcc'), undefined)
})

test('a stop of the process ends a send, which does not count', async () => {
  await using server = await openMailServer()
  server.reply = () => 'hold'
  const stop = new AbortController()
  const sending = mailerAt(server.url)(letter, stop.signal)
  await until('the content of the message', () => server.seen[0])
  stop.abort()
  assert.deepEqual(await sending, { result: 'aborted' })
})

test('malformed settings are refused, without their values', () => {
  for (const value of ['https://mail.example.com', 'smtp://', 'smtp://user:%zz@mail.example.com', 'smtp://a/path'])
    assert.throws(() => parseConfig({ SMTP_URL: value }, local), /SMTP_URL must be smtp:/)
  for (const value of ['Causeway <a@b.example>', 'a@b.example\r\nBcc: c@d.example', 'nobody'])
    assert.throws(() => parseConfig({ ALERT_EMAIL_FROM: value }, local), /ALERT_EMAIL_FROM must be an email address/)
})
