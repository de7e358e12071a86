// Commands that other programs talk to: assistants and shells.

import type { CommandSpec } from '../command.ts'

export const programCommands: readonly CommandSpec[] = [
  {
    name: 'mcp',
    summary: 'serve the API to an assistant, by the Model Context Protocol on standard input and output',
    options: [['--write', 'offer what changes something, too: sandbox deposits, accounts, replays']],
    examples: ['mcp', 'mcp --write --profile sandbox'],
    exitCodes: ['130  ended by Ctrl-C'],
    reach: 'api',
    load: async () => (await import('../mcp/serve.ts')).serveMcp,
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands and options in a shell',
    args: [['<shell>', 'bash, zsh or fish']],
    examples: ['completion bash', 'completion zsh', 'completion fish'],
    load: async () => (await import('../completion/scripts.ts')).printCompletion,
  },
  {
    name: 'commands',
    summary: 'list every command, with its arguments and options as JSON',
    examples: ['commands', 'commands --json'],
    load: async () => (await import('../completion/command-list.ts')).printCommands,
  },
]
