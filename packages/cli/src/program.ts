// The tree of commands: names, options and help from the tables of `commands/`. Bodies load when their command is known.

import { type Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { version } from '../../server/src/platform/version.ts'
import { type CommandSpec, type Context, type Flags, type Terminal, UsageError } from './command.ts'
import { groups, sectionOf } from './commands/groups.ts'
import { exitCodesOf, json, optionsOf } from './commands/options.ts'
import { listCommands } from './commands/tree.ts'
import type { Env } from './local-state.ts'
import { exitCodes } from './output/exit-codes.ts'

/**
 * Parses the arguments and runs the command that they name.
 * @param isForProgram throws a mistake on the command line instead of printing it with the help
 * @returns its exit code
 * @throws UsageError with `isForProgram`
 */
export async function runProgram(
  args: readonly string[],
  env: Env,
  terminal: Terminal,
  isForProgram: boolean,
): Promise<number> {
  let exitCode: number = exitCodes.done
  const commands = listCommands()
  const output = isForProgram ? { ...terminal, complain: () => {} } : terminal
  const program = createProgram(commands, output, async (spec, context) => {
    const body = await spec.load()
    exitCode = await body({ ...context, env, terminal, commands })
  })
  try {
    await program.parseAsync(isUnknown(program, args) ? args.filter((arg) => !helpFlags.has(arg)) : args, {
      from: 'user',
    })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return exitCodes.done
    if (isForProgram) throw new UsageError(usageText(error))
    return exitCodes.usage
  }
}

const helpFlags = new Set(['-h', '--help'])

/** Returns true if the words name no command: for `nonsense --help`, commander would print the help of the group and succeed. */
function isUnknown(group: Command, [word, ...rest]: readonly string[]): boolean {
  if (word === undefined || group.commands.length === 0) return false
  if (word.startsWith('-')) return isUnknown(group, rest)
  const found = group.commands.find((command) => command.name() === word)
  return found ? isUnknown(found, rest) : word !== 'help'
}

const usageText = ({ code, message }: CommanderError): string =>
  code === 'commander.help'
    ? 'No command given. Next: causeway --help'
    : message.replace(/^error: /, '').replaceAll('\n', ' ')

const jsonOption = (): Option => new Option(...json)

type Run = (spec: CommandSpec, context: Pick<Context, 'args' | 'flags'>) => Promise<void>

function createProgram(commands: readonly CommandSpec[], terminal: Terminal, run: Run): Command {
  const program = configured(new Command('causeway'), terminal)
  program.description(
    'Causeway from the shell: the local environment, webhooks, every operation of the API, and the service.',
  )
  program.commandsGroup(sectionOf('help')).helpCommand('help [command]', 'show the help of a command')
  program.version(version, '--version', 'print the version').addOption(jsonOption())
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
  command.exitOverride().enablePositionalOptions().helpOption('-h, --help', 'show this help')
  command.configureHelp({ subcommandTerm: termOf })
  return command.configureOutput({
    writeOut: (text) => print(text.replace(/\n$/, '')),
    writeErr: (text) => complain(text.replace(/\n$/, '')),
    outputError: (text, write) => write(text.replace(/^error: /, 'causeway: ')),
    // Help is the same everywhere, also in a pipe or a test.
    getOutHelpWidth: () => 100,
    getErrHelpWidth: () => 100,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  })
}

/** Without `[options]`, which every command has. */
const termOf = (command: Command): string =>
  [command.name(), ...command.registeredArguments.map((argument) => argumentTerm(argument))].join(' ')

const argumentTerm = (argument: Argument): string =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`

function parentOf(program: Command, parents: Map<string, Command>, name: string): Command {
  const known = parents.get(name)
  if (known) return known
  const made = program
    .command(name)
    .description(groups[name] ?? '')
    .helpGroup(sectionOf(name))
  made.addOption(jsonOption()).enablePositionalOptions()
  made.showHelpAfterError(`(causeway ${name} --help lists the commands)`)
  parents.set(name, made)
  return made
}

function addCommand(parent: Command, name: string, spec: CommandSpec, run: Run): void {
  const command = parent.command(name).description(spec.summary)
  if (parent.parent === null) command.helpGroup(sectionOf(name))
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
  command.showHelpAfterError(
    `\nExample:\n${examples.split('\n')[0]}\n\n(causeway ${spec.name} --help shows its options)`,
  )
  command.action(async () => run(spec, { args: command.args, flags: command.optsWithGlobals<Flags>() }))
}

/** One value for each occurrence of the option, so that arguments can follow. */
const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must not be empty.')
  return value
}
