// `causeway <command>`: runs the command that the arguments name, and reports its failure.

import type { Terminal } from './command.ts'
import type { Env } from './local-state.ts'
import { runProgram } from './program.ts'

/**
 * Runs one command and prints its output, or the text of its failure.
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], env: Env, terminal: Terminal): Promise<number> {
  const isForProgram = args.includes('--json')
  try {
    return await runProgram(args, env, terminal, isForProgram)
  } catch (error) {
    const { failureOf } = await import('./output/failure.ts')
    const { text, exitCode } = failureOf(error, isForProgram)
    terminal.complain(text)
    return exitCode
  }
}
