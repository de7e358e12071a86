// The operator's commands. They work on the database of the environment, or beside the server that runs in this folder.

import type { CommandSpec } from '../command.ts'

const customer = ['!--customer <id>', 'the business: biz_…'] as const
const config = '78   the environment is not right'

const specs: readonly Omit<CommandSpec, 'load'>[] = [
  { name: 'migrate', summary: 'bring the database schema up to date', examples: ['migrate'] },
  {
    name: 'customer create',
    summary: 'make a business that may call the API',
    options: [['!--name <name>', 'its name']],
    examples: ["customer create --name 'A business'"],
  },
  { name: 'customer list', summary: 'list the newest 100 businesses', examples: ['customer list'] },
  {
    name: 'customer suspend',
    summary: 'refuse the keys of a business',
    options: [customer],
    examples: ['customer suspend --customer biz_…'],
  },
  {
    name: 'customer activate',
    summary: 'take the keys of a business again',
    options: [customer],
    examples: ['customer activate --customer biz_…'],
  },
  {
    name: 'customer webhook-url',
    summary: 'set the webhook URL of a business',
    options: [customer, ['!--url <address>', 'where its events go']],
    examples: ['customer webhook-url --customer biz_… --url https://example.com/events'],
  },
  {
    name: 'key issue',
    summary: 'issue an API key and print it, once',
    options: [customer, ['--name <name>', 'what it is for']],
    examples: ["key issue --customer biz_… --name 'Production'"],
  },
  {
    name: 'key list',
    summary: 'list the API keys of a business',
    options: [customer],
    examples: ['key list --customer biz_…'],
  },
  {
    name: 'audit list',
    summary: 'list who did what, newest first',
    options: [
      ['--customer <id>', 'of one business, or of "deployment"'],
      ['--type <action>', 'one kind of act, such as api_key.created'],
      ['--since <time>', 'from this time on, such as 2026-01-31T12:00:00Z'],
      ['--limit <count>', 'most entries, up to 10,000; 100 by default'],
    ],
    examples: ['audit list', 'audit list --customer biz_… --type api_key.revoked --limit 50'],
  },
  {
    name: 'audit verify',
    summary: 'check that every entry is as it was written; ends with 1 if not',
    options: [
      ['--customer <id>', 'the chain of one business'],
      ['--heads <file>', 'heads that "causeway audit head" wrote'],
    ],
    examples: ['audit verify', 'audit verify --heads heads.json'],
  },
  {
    name: 'audit head',
    summary: 'print the heads of the chains, to be kept elsewhere',
    examples: ['audit head > heads.json'],
  },
  {
    name: 'secrets rotate',
    summary: 'move what is stored to the newest deployment secret',
    options: [['--now', 'revoke the keys that were not used since']],
    examples: ['secrets rotate', 'secrets rotate --now'],
  },
  {
    name: 'after-restore',
    summary: 'make a restored database safe to start on, while no server runs',
    options: [
      ['--skip <count>', 'how far positions and sequence numbers move on; 20,000,000 by default'],
      ['--end-keys', 'revoke every API key: one revoked after the backup works again'],
    ],
    examples: ['after-restore', 'after-restore --skip 500000000 --end-keys'],
  },
  {
    name: 'provider connect',
    summary: 'register our webhook endpoint at the provider',
    options: [['!--url <address>', 'our address for its events']],
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
