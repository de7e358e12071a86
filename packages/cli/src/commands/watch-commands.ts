// Commands that stream events and requests.

import type { CommandSpec } from '../command.ts'

const interrupted = '130  interrupted by Ctrl-C'

export const watchCommands: readonly CommandSpec[] = [
  {
    name: 'events tail',
    summary: 'stream events, one per line',
    options: [
      ['--type <type>', 'only this type, such as end_user.created'],
      ['--external-user-id <id>', 'only this end-user'],
      ['--oldest', 'start with the oldest stored event'],
    ],
    examples: ['events tail', 'events tail --type virtual_account.payment.received --json'],
    exitCodes: [interrupted],
    reach: 'api',
    load: async () => (await import('../watching/events-tail.ts')).tailEvents,
  },
  {
    name: 'requests tail',
    summary: 'stream the requests of your API keys, one per line',
    options: [
      ['--status <status>', 'only this status, or a class such as 4xx'],
      ['--method <method>', 'only this method'],
      ['--path <path>', 'only this route, such as /v0/end-users/:externalUserId'],
      ['--key-id <id>', 'only this API key'],
    ],
    examples: ['requests tail', 'requests tail --status 4xx --json'],
    exitCodes: [interrupted],
    reach: 'api',
    load: async () => (await import('../watching/requests-tail.ts')).tailRequests,
  },
]
