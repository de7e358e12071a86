// The operator's commands that work on the database of the environment, or of the local environment in this folder.

import type { CommandSpec } from '../command.ts'

const config = '78   the configuration is wrong'

const specs: readonly Omit<CommandSpec, 'load'>[] = [
  { name: 'migrate', summary: 'bring the database schema up to date', examples: ['migrate'] },
  {
    name: 'audit-log list-all',
    summary: 'list who changed what in every business, newest first (operator)',
    options: [
      ['--customer <id>', 'only this business, or "deployment"'],
      ['--type <action>', 'only this action, such as api_key.created'],
      ['--since <time>', 'only entries since this time, such as 2026-01-31T12:00:00Z'],
      ['--limit <count>', 'maximum number of entries, up to 10,000 (default: 100)'],
    ],
    examples: ['audit-log list-all', 'audit-log list-all --customer biz_… --type api_key.revoked --limit 50'],
  },
  {
    name: 'audit-log verify',
    summary: 'verify that no entry was changed, removed or inserted; exits with 1 if one was (operator)',
    options: [
      ['--customer <id>', 'only the chain of this business'],
      ['--heads <file>', 'compare with the heads that "causeway audit-log head" printed'],
    ],
    examples: ['audit-log verify', 'audit-log verify --heads heads.json'],
  },
  {
    name: 'audit-log head',
    summary: 'print the heads of the chains, to store elsewhere (operator)',
    examples: ['audit-log head > heads.json'],
  },
  {
    name: 'secrets rotate',
    summary: 're-encrypt stored data with the newest deployment secret',
    options: [['--now', 'revoke API keys that were not used since the secret was added']],
    examples: ['secrets rotate', 'secrets rotate --now'],
  },
  {
    name: 'after-restore',
    summary: 'prepare a restored database before the first start',
    options: [
      ['--skip <count>', 'advance positions and sequence numbers by this much (default: 20,000,000)'],
      ['--end-keys', 'revoke every API key: keys revoked after the backup would work again'],
    ],
    examples: ['after-restore', 'after-restore --skip 500000000 --end-keys'],
  },
  {
    name: 'provider connect',
    summary: 'register the webhook endpoint of this deployment at the provider',
    options: [['!--url <url>', 'the public URL that receives provider events']],
    examples: ['provider connect --url https://api.example.com/v0/webhooks/provider'],
  },
]

export const operatorCommands: readonly CommandSpec[] = specs.map((spec) => ({
  ...spec,
  exitCodes: [config],
  load: async () => {
    const { runOperatorCommand } = await import('../operator/run.ts')
    return (context) => runOperatorCommand(spec.name, context)
  },
}))
