// `causeway <command>`: runs the command that the arguments name, and tells how it failed.

import type { Terminal } from './command.ts'
import type { Env } from './local-state.ts'
import { runProgram } from './program.ts'

/**
 * Runs one command and prints its answer, or the text of its failure.
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], env: Env, terminal: Terminal): Promise<number> {
  try {
    return await runProgram(args, env, terminal)
  } catch (error) {
    const { failureOf } = await import('./output/failure.ts')
    const isForProgram = args.includes('--json')
    const { text, exitCode } = failureOf(error, isForProgram)
    terminal.complain(text)
    return exitCode
  }
}
