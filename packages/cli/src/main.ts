// The command line of this process.

import { text } from 'node:stream/consumers'
import { processEnvironment } from '../../server/src/platform/settings.ts'
import type { Terminal } from './command.ts'
import { runCommandLine } from './command-line.ts'
import { exitCodes } from './output/exit-codes.ts'

const env = processEnvironment()
const isInteractive = process.stdout.isTTY === true
const canAsk = process.stdin.isTTY === true && process.stderr.isTTY === true && !env['CI']
/** For a terminal that does not report its size. */
const defaultColumns = 80
const terminal: Terminal = {
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
  isInteractive,
  ...(isInteractive && { columns: process.stdout.columns || defaultColumns }),
  hasColor: isInteractive && !env['NO_COLOR'] && !env['CI'],
  readInput: async () => Buffer.from(await text(process.stdin)),
  ...(canAsk && { ask: async (question) => (await import('./output/prompt.ts')).ask(question) }),
}
// A reader such as `head` closes the pipe when it has enough. Any other failure, such as a full disk, loses output.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(exitCodes.done)
  console.error(`causeway: The output cannot be written: ${error.message}`)
  process.exit(exitCodes.refused)
})
process.stderr.on('error', () => {}) // no output is possible; the exit code still shows how the command ended
const exitCode = await runCommandLine(process.argv.slice(2), env, terminal)
if (exitCode !== 0) process.exitCode = exitCode
