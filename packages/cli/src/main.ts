// The command line of this process.

import { text } from 'node:stream/consumers'
import { processEnvironment } from '../../server/src/platform/settings.ts'
import type { Terminal } from './command.ts'
import { runCommandLine } from './command-line.ts'

const env = processEnvironment()
const isInteractive = process.stdout.isTTY === true
const canAsk = process.stdin.isTTY === true && process.stderr.isTTY === true && !env['CI']
const terminal: Terminal = {
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
  isInteractive,
  hasColor: isInteractive && !env['NO_COLOR'] && !env['CI'],
  readInput: async () => Buffer.from(await text(process.stdin)),
  ...(canAsk && { ask: async (question) => (await import('./output/prompt.ts')).ask(question) }),
}
// A reader that has enough, as `head` has, closes the pipe.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(0)
  throw error
})
const exitCode = await runCommandLine(process.argv.slice(2), env, terminal)
if (exitCode !== 0) process.exitCode = exitCode
