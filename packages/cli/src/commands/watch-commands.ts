// Commands that show what happens as it happens.

import type { CommandSpec } from '../command.ts'

const interrupted = '130  ended by Ctrl-C'

export const watchCommands: readonly CommandSpec[] = [
  {
    name: 'events tail',
    summary: 'show events as they happen, one a line',
    options: [
      ['--type <type>', 'of one type, such as end_user.created'],
      ['--external-user-id <id>', 'of one end-user'],
      ['--oldest', 'begin with the oldest event that is kept'],
    ],
    examples: ['events tail', 'events tail --type virtual_account.payment.received --json'],
    exitCodes: [interrupted],
    reach: 'api',
    load: async () => (await import('../watching/events-tail.ts')).tailEvents,
  },
  {
    name: 'logs tail',
    summary: 'show the requests of your API keys as they come, one a line',
    options: [
      ['--status <status>', 'one status, or a class of them such as 4xx'],
      ['--method <method>', 'one method'],
      ['--path <path>', 'one route, such as /v0/end-users/:externalUserId'],
      ['--key-id <id>', 'of one API key'],
    ],
    examples: ['logs tail', 'logs tail --status 4xx --json'],
    exitCodes: [interrupted],
    reach: 'api',
    load: async () => (await import('../watching/logs-tail.ts')).tailLogs,
  },
]
