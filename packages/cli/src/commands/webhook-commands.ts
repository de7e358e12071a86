// Commands for the author of a receiver: events at an address of this machine, and webhooks without a server.

import type { CommandSpec } from '../command.ts'

const body = ['!--body <text>', 'the body: text, @file, or - for standard input'] as const
const secret = ['--secret <secret>', 'whsec_…; else CAUSEWAY_SIGNING_SECRET, which no other user can read'] as const

export const webhookCommands: readonly CommandSpec[] = [
  {
    name: 'listen',
    summary: 'show events as they come, and forward them to an address of this machine, signed as webhooks are',
    options: [
      ['--forward-to <address>', 'where to, such as localhost:3000/hooks; by default they are verified and shown'],
      ['--events <types>', 'these types only, with commas between; virtual_account.* is all of a kind'],
      ['--load-endpoint <id>', 'what this endpoint subscribes to'],
      ['--since <time>', 'begin with the events of this time, and not where the last run ended'],
      ['--replay <id>', 'send this event again first'],
      ['--print-secret', 'print the signing secret, and end'],
      ['-v, --verbose', 'show bodies'],
    ],
    examples: ['listen', 'listen --forward-to localhost:3000/hooks', 'listen --print-secret'],
    exitCodes: ['130  ended by Ctrl-C'],
    reach: 'api',
    load: async () => (await import('../listening/listen.ts')).listen,
  },
  {
    name: 'verify',
    summary: 'check the signature of a webhook that was kept, and say why it does not fit',
    options: [
      body,
      ['*--header <header>', '"name: value"; the three webhook-… headers are needed'],
      secret,
      ['--any-age', 'whatever its time is'],
    ],
    examples: [
      "verify --body @body.json --header 'webhook-id: …' --header 'webhook-timestamp: …' --header 'webhook-signature: …'",
    ],
    load: async () => (await import('../webhooks/offline.ts')).verifyWebhook,
  },
  {
    name: 'send',
    summary: 'sign a body and post it to a receiver',
    options: [['!--to <address>', 'the receiver'], body, secret],
    examples: ['send --to http://localhost:3000/hooks --body @event.json'],
    exitCodes: ['4    the receiver cannot be reached'],
    load: async () => (await import('../webhooks/offline.ts')).sendWebhook,
  },
]
