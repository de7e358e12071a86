// Commands that make something happen at the sandbox.

import type { CommandSpec } from '../command.ts'

export const playCommands: readonly CommandSpec[] = [
  {
    name: 'trigger',
    summary: 'play a scenario at the sandbox, and wait for its event',
    args: [['[name]', 'an event type or a scenario, such as deposit.completed']],
    options: [
      ['--list', 'list the scenarios'],
      ['*--set <step.field=value>', 'a field of a step, such as account.externalUserId=ada; may be repeated'],
      ['--edit', 'change the steps in your editor first (EDITOR)'],
    ],
    examples: [
      'trigger deposit.completed',
      'trigger deposit.completed --set account.externalUserId=ada --set deposit.amount=12.50',
      'trigger --list',
    ],
    exitCodes: ['5    a step failed, and those before it are done'],
    reach: 'api',
    load: async () => (await import('../fixtures/trigger.ts')).trigger,
  },
  {
    name: 'fixtures apply',
    summary: 'make the end-users, accounts and deposits of a file; what is there stays as it is',
    args: [['<file>', 'a file of steps in YAML']],
    examples: ['fixtures apply world.yml'],
    exitCodes: ['5    a step failed, and those before it are done'],
    reach: 'api',
    load: async () => (await import('../fixtures/apply.ts')).applyFixtures,
  },
]
