// A mail server of the tests: a real SMTP server on loopback that keeps each message, and may hold, reject or ignore them.

import { once } from 'node:events'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'

export type ReceivedMail = {
  from: string
  to: string[]
  /** The whole message as it came. */
  raw: string
  /** Unfolded, with names in lower case. */
  headers: ReadonlyMap<string, string>
  text: string
}

/** `hold`: no response to the content of the message, as long as the connection is open. */
export type MailReply = 'accept' | 'hold' | { code: number }

export type MailServer = AsyncDisposable & {
  url: string
  /** Messages with their content, in the order of arrival, also those that were refused. */
  seen: ReceivedMail[]
  reply: (mail: ReceivedMail) => MailReply
}

export async function openMailServer(): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, session, callback) {
      void receive(stream, session).then((mail) => {
        mailServer.seen.push(mail)
        const reply = mailServer.reply(mail)
        if (reply === 'hold') return
        if (reply === 'accept') callback(null)
        else callback(Object.assign(new Error('rejected by the test'), { responseCode: reply.code }))
      })
    },
  })
  server.on('error', () => {}) // a client that is killed resets its connection
  const listening = server.listen(0, '127.0.0.1')
  if (!listening.listening) await once(listening, 'listening')
  const address = listening.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${address.port}`,
    seen: [],
    reply: () => 'accept',
    async [Symbol.asyncDispose]() {
      for (const connection of server.connections) connection.close()
      await new Promise<void>((closed) => server.close(() => closed()))
    },
  }
  return mailServer
}

async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<ReceivedMail> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  const raw = Buffer.concat(chunks).toString('utf8')
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const { mailFrom, rcptTo } = session.envelope
  const body = raw.slice(end + 4)
  const encoding = headers.get('content-transfer-encoding')
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : encoding === 'quoted-printable'
        ? unquoted(body)
        : body
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address: recipient }) => recipient),
    raw,
    headers,
    text: text.replaceAll('\r\n', '\n'),
  }
}

const unquoted = (body: string): string =>
  Buffer.from(
    body
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')
