// The tree of commands: names, options and help from the tables of `commands/`; no body is loaded before its command is known.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { version } from '../../server/src/platform/version.ts'
import type { CommandSpec, Context, Flags, Terminal } from './command.ts'
import { groups } from './commands/groups.ts'
import { exitCodesOf, optionsOf } from './commands/options.ts'
import { listCommands } from './commands/tree.ts'
import type { Env } from './local-state.ts'
import { exitCodes } from './output/exit-codes.ts'

/**
 * Parses the arguments and runs the command that they name.
 * @returns its exit code
 */
export async function runProgram(args: readonly string[], env: Env, terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.done
  const commands = listCommands()
  const program = createProgram(commands, terminal, async (spec, context) => {
    const body = await spec.load()
    exitCode = await body({ ...context, env, terminal, commands })
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  }
}

type Run = (spec: CommandSpec, context: Pick<Context, 'args' | 'flags'>) => Promise<void>

function createProgram(commands: readonly CommandSpec[], terminal: Terminal, run: Run): Command {
  const program = configured(new Command('causeway'), terminal)
  program.description('Causeway: the local world, the service, and what integrators and operators do from the shell.')
  program.version(version, '--version', 'print the version')
  program.showHelpAfterError('(causeway --help lists the commands)')
  const parents = new Map<string, Command>()
  for (const spec of commands) {
    const [first = '', ...rest] = spec.name.split(' ')
    if (rest.length === 0) addCommand(program, first, spec, run)
    else addCommand(parentOf(program, parents, first), rest.join(' '), spec, run)
  }
  return program
}

function configured(command: Command, { print, complain }: Terminal): Command {
  return command.exitOverride().configureOutput({
    writeOut: (text) => print(text.replace(/\n$/, '')),
    writeErr: (text) => complain(text.replace(/\n$/, '')),
    outputError: (text, write) => write(text.replace(/^error: /, 'causeway: ')),
    // A help text is the same everywhere: what reads it may be a pipe or a test.
    getOutHelpWidth: () => 100,
    getErrHelpWidth: () => 100,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  })
}

function parentOf(program: Command, parents: Map<string, Command>, name: string): Command {
  const known = parents.get(name)
  if (known) return known
  const made = program.command(name).description(groups[name] ?? '')
  made.showHelpAfterError(`(causeway ${name} --help lists the commands)`)
  parents.set(name, made)
  return made
}

function addCommand(parent: Command, name: string, spec: CommandSpec, run: Run): void {
  const command = parent.command(name).description(spec.summary)
  for (const [argument, description] of spec.args ?? []) command.argument(argument, description)
  for (const { flags, description, isRequired, isRepeatable, takesValue } of optionsOf(spec)) {
    const option = new Option(flags, description).makeOptionMandatory(isRequired)
    if (isRepeatable) option.argParser(collect)
    else if (takesValue) option.argParser(notEmpty)
    command.addOption(option)
  }
  const examples = spec.examples.map((example) => `  causeway ${example}`).join('\n')
  const codes = exitCodesOf(spec).map((code) => `  ${code}`)
  command.addHelpText('after', `\nExamples:\n${examples}\n\nExit codes:\n${codes.join('\n')}`)
  command.showHelpAfterError(`\nExample:\n${examples.split('\n')[0]}\n\n(causeway ${spec.name} --help says more)`)
  command.action(async () => run(spec, { args: command.args, flags: command.opts<Flags>() }))
}

/** One value for each time the option is named, so that arguments may follow. */
const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must not be empty.')
  return value
}
