// Commands for developing a receiver: events at a local URL, and webhooks without a server.

import type { CommandSpec } from '../command.ts'

const body = ['!--body <text>', 'the body: text, @file, or - for standard input'] as const
const secret = [
  '--secret <secret>',
  'signing secret, whsec_… (default: CAUSEWAY_SIGNING_SECRET, which other users cannot read)',
] as const

export const webhookCommands: readonly CommandSpec[] = [
  {
    name: 'listen',
    summary: 'stream events, and forward them as signed webhooks to a local URL',
    options: [
      ['--forward-to <url>', 'forward to this port or URL, such as 3000/hooks (default: verify and show events)'],
      ['--events <types>', 'only these types, separated by commas; virtual_account.* matches all that begin with it'],
      ['--load-endpoint <id>', 'only the types that this endpoint subscribes to'],
      ['--since <time>', 'start at this time instead of the last position'],
      ['--replay <id>', 'resend this event first'],
      ['--print-secret', 'print the signing secret and exit'],
      ['-v, --verbose', 'show event bodies'],
    ],
    examples: ['listen', 'listen --forward-to localhost:3000/hooks', 'listen --print-secret'],
    exitCodes: ['130  interrupted by Ctrl-C'],
    reach: 'api',
    load: async () => (await import('../listening/listen.ts')).listen,
  },
  {
    name: 'verify',
    summary: "verify a saved webhook's signature, and explain why it fails",
    options: [
      body,
      ['*--header <header>', '"name: value"; the three webhook-… headers are required (repeatable)'],
      secret,
      ['--any-age', 'accept any timestamp'],
    ],
    examples: [
      "verify --body @body.json --header 'webhook-id: …' --header 'webhook-timestamp: …' --header 'webhook-signature: …'",
    ],
    load: async () => (await import('../webhooks/offline.ts')).verifyWebhook,
  },
  {
    name: 'send',
    summary: 'sign a body and send it to a receiver',
    options: [['!--to <url>', 'the port or URL of the receiver'], body, secret],
    examples: ['send --to http://localhost:3000/hooks --body @event.json'],
    exitCodes: ['4    the receiver cannot be reached'],
    load: async () => (await import('../webhooks/offline.ts')).sendWebhook,
  },
]
