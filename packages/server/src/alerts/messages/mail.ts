// Sends alerts by email: plain text to checked addresses, over TLS.

import { createTransport } from 'nodemailer'
import type { Config } from '../../platform/config.ts'
import { readSmtpAddress } from '../../platform/email-address.ts'
import { isLoopback } from '../../platform/settings.ts'
import type { Attempted } from './retry.rules.ts'

export type Mail = { id: string; to: readonly string[]; subject: string; text: string; date: Date }

export type Mailer = (mail: Mail, signal: AbortSignal) => Promise<Attempted>

const connectTimeoutMs = 10_000
const silenceTimeoutMs = 20_000
/** For the whole attempt: a server that sends a byte now and then would never be silent. */
export const mailTimeoutMs = 30_000

/** @returns null unless the deployment has a mail server and a sender */
export function createMailer({ smtpUrl, alertEmailFrom, mode }: Config): Mailer | null {
  const server = smtpUrl === undefined ? null : readSmtpAddress(smtpUrl)
  if (server === null || alertEmailFrom === undefined) return null
  const { host, port, isTls, user, password } = server
  const isPlain = !isTls && mode === 'sandbox' && isLoopback(host)
  const transport = createTransport({
    host,
    port,
    secure: isTls,
    ...(isPlain ? { ignoreTLS: true } : { requireTLS: true }),
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    connectionTimeout: connectTimeoutMs,
    dnsTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = alertEmailFrom.slice(alertEmailFrom.lastIndexOf('@') + 1)
  return async ({ id, to, subject, text, date }, signal) => {
    const deadline = AbortSignal.timeout(mailTimeoutMs)
    try {
      const { rejected } = await transport.sendMail({
        from: { name: 'Causeway', address: alertEmailFrom },
        to: to.map((address) => ({ name: '', address })),
        // Automatic responders ignore such a message (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        messageId: `<${id}@${domain}>`,
        subject,
        text,
        date,
        signal: AbortSignal.any([signal, deadline]),
      })
      const some = rejected.length > 0 ? `, but rejected ${rejected.length} of ${to.length} recipients` : ''
      return { result: 'sent', said: `The mail server accepted the message${some}.` }
    } catch (error) {
      if (signal.aborted) return { result: 'aborted' }
      return failureOf(error)
    }
  }
}

const saidByCode: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server rejected the user or password.',
  ECONNECTION: 'The mail server cannot be reached.',
  EDNS: 'The name of the mail server could not be resolved.',
  ESOCKET: 'The connection to the mail server failed.',
  ETIMEDOUT: 'The mail server did not respond in time.',
  EABORT: 'The mail server did not respond in time.',
  ETLS: 'The TLS handshake with the mail server failed.',
}

/** The server's own text is not kept: it may name addresses. */
function failureOf(error: unknown): Attempted {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  const status = typeof responseCode === 'number' ? responseCode : null
  const isFinal = status !== null && status >= 550 && status < 560
  const said = saidByCode[String(code)] ?? 'The mail server rejected the message.'
  return { result: 'failed', said: status === null ? said : `${said} Status ${status}.`, isFinal }
}
