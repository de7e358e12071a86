// Commands for other programs: assistants and shells.

import type { CommandSpec } from '../command.ts'

export const programCommands: readonly CommandSpec[] = [
  {
    name: 'mcp',
    summary: 'serve the API to an AI assistant over the Model Context Protocol (stdio)',
    options: [['--write', 'also offer operations that change data: sandbox deposits, accounts, replays']],
    examples: ['mcp', 'mcp --write --profile sandbox'],
    exitCodes: ['130  interrupted by Ctrl-C'],
    reach: 'api',
    load: async () => (await import('../mcp/serve.ts')).serveMcp,
  },
  {
    name: 'completion',
    summary: 'print a shell completion script',
    args: [['<shell>', 'bash, zsh or fish']],
    examples: ['completion bash', 'completion zsh', 'completion fish'],
    load: async () => (await import('../completion/scripts.ts')).printCompletion,
  },
  {
    name: 'commands',
    summary: 'list every command with its arguments and options',
    examples: ['commands', 'commands --json'],
    load: async () => (await import('../completion/command-list.ts')).printCommands,
  },
]
