// Commands that simulate activity in the sandbox.

import type { CommandSpec } from '../command.ts'

export const playCommands: readonly CommandSpec[] = [
  {
    name: 'trigger',
    summary: 'trigger a sandbox scenario and wait for its event',
    args: [['[name]', 'an event type or a scenario, such as deposit.completed']],
    options: [
      ['--list', 'list the scenarios'],
      ['*--set <step.field=value>', 'set a field of a step, such as account.externalUserId=ada (repeatable)'],
      ['--edit', 'edit the steps in EDITOR first'],
    ],
    examples: [
      'trigger deposit.completed',
      'trigger deposit.completed --set account.externalUserId=ada --set deposit.amount=12.50',
      'trigger --list',
    ],
    exitCodes: ['5    a step failed after earlier steps succeeded'],
    reach: 'api',
    load: async () => (await import('../fixtures/trigger.ts')).trigger,
  },
  {
    name: 'fixtures apply',
    summary: 'create or update the end-users, accounts and deposits in a file',
    args: [['<file>', 'a YAML file of steps']],
    examples: ['fixtures apply world.yml'],
    exitCodes: ['5    a step failed after earlier steps succeeded'],
    reach: 'api',
    load: async () => (await import('../fixtures/apply.ts')).applyFixtures,
  },
]
