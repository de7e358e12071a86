// Runs programs in an image's files, as the image's user, with nothing there that the user may write.

import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, type ProgramStart, requireProgram, runProgram, startProgram } from '../rig/programs.ts'
import type { BuiltImage } from './workshop.ts'

export type Container = {
  /** Runs a program to its end. @returns what it wrote @throws Error unless it ended with 0 */
  run(command: readonly string[]): Promise<string>
  start(command: readonly string[]): Program
}

/** @param settings environment variables, in addition to those of the image */
export function openContainer({ config, root }: BuiltImage, settings: Readonly<Record<string, string>>): Container {
  for (const folder of ['tmp', 'var/tmp']) chmodSync(join(root, folder), 0o755)
  const file = requireProgram('chroot', 'coreutils')
  const env = { ...Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2))), ...settings }
  // Each becomes the next: a signal reaches the program itself.
  const entering = [`--userspec=${config.User}`, root, 'env', '-C', config.WorkingDir]
  const startOf = (command: readonly string[]): ProgramStart => ({
    file,
    args: [...entering, ...command],
    env,
    asOurselves: true,
  })
  return {
    run: (command) => runProgram(startOf(command)),
    start: (command) => startProgram(command.join(' '), startOf(command)),
  }
}
