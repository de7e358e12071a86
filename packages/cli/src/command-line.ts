// `causeway <command>`: reads the arguments, checks that they fit the command, and runs it. A command's modules are loaded when
// it is known which one: a world starts its processes before it has read its own server.

import { parseArgs } from 'node:util'
import type { Role } from '../../server/src/app/loops.ts'
import { version } from '../../server/src/platform/version.ts'
import { type Terminal, UsageError } from './command.ts'
import type { Env } from './local-state.ts'

const usage = `causeway ${version}

  causeway dev [--reset]        everything on this machine: database, emulated provider, server, webhook inbox
  causeway demo                 the whole story once, step by step, in a world of its own
  causeway serve [--only api|relay]
                                the service, configured by the environment (docs/configuration.md), or one part of it
  causeway doctor [--json]      looks at settings, database, provider and what waits; ends with 1 if there is a problem

These work on the database of the same environment as "serve" and print JSON:

  causeway migrate                                        bring the database schema up to date
  causeway customer create --name NAME                    a business that may call the API
  causeway customer list                                  the newest 100
  causeway customer suspend|activate --customer biz_…
  causeway customer webhook-url --customer biz_… --url https://…
  causeway key issue --customer biz_… [--name NAME]       prints a new API key, once
  causeway key list --customer biz_…
  causeway audit list [--customer biz_…] [--type TYPE] [--since TIME] [--limit N]
                                                          who did what, newest first
  causeway audit verify [--customer biz_…] [--heads FILE]
                                                          whether every entry is as it was written; exit code 1 if not
  causeway audit head                                     the heads of its chains, to be kept elsewhere
  causeway secrets rotate [--now]                         move what is stored to the newest deployment secret
  causeway provider connect --url https://…/v0/webhooks/provider
                                                          register our webhook endpoint at the provider
`

/**
 * Runs one command and prints its answer, or the text of its failure.
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], env: Env, terminal: Terminal): Promise<number> {
  try {
    return (await run(args, env, terminal)) ? 0 : 1
  } catch (error) {
    const { failureOf } = await import('./failure.ts')
    const { text, exitCode } = failureOf(error, usage)
    terminal.complain(text)
    return exitCode
  }
}

/** @returns whether a script may go on */
async function run(args: readonly string[], env: Env, terminal: Terminal): Promise<boolean> {
  const { values, positionals } = parseCommandLine(args)
  const { help, version: wantsVersion, reset, only, ...rest } = values
  const flags = Object.fromEntries(Object.entries(rest).map(([flag, value]) => [flag, String(value)]))
  const name = positionals.join(' ')
  const told = wantsVersion || name === 'version' ? version : help || name === 'help' ? usage : null
  if (told !== null) {
    terminal.print(told)
    return true
  }
  if (name === '') throw new UsageError('a command is needed')
  const operator = isStarter(name) ? null : await import('./operator.ts')
  if (operator && !operator.isOperatorCommand(name)) throw new UsageError(`unknown command: ${name}`)
  if (reset && name !== 'dev') throw new UsageError('--reset belongs to dev')
  if (only !== undefined && name !== 'serve') throw new UsageError('--only belongs to serve')
  checkFlags(name, flags, operator?.operatorFlags(name) ?? { needed: [], optional: name === 'doctor' ? ['json'] : [] })
  if (operator) return await operator.runOperatorCommand(name, flags, await configOf(env), terminal)
  if (name === 'doctor')
    return await (await import('./doctor/doctor.ts')).doctor(env, { json: rest.json === true }, terminal)
  if (name === 'dev') await (await import('./dev.ts')).dev(env, { reset: reset === true })
  else if (name === 'demo') await (await import('./demo/demo.ts')).demo(env)
  else await serveAs(roleOf(only), env)
  return true
}

async function serveAs(role: Role, env: Env): Promise<void> {
  const { serve } = await import('../../server/src/app/process/serve.ts')
  await serve(await configOf(env), role)
}

const configOf = async (env: Env) => await (await import('./local-state.ts')).loadConfig(env)

function roleOf(only: string | undefined): Role {
  if (only === undefined) return 'all'
  if (only !== 'api' && only !== 'relay') throw new UsageError('--only takes api or relay')
  return only
}

const isStarter = (name: string): boolean => ['dev', 'demo', 'serve', 'doctor'].includes(name)

type FlagNames = { needed: readonly string[]; optional: readonly string[] }

/** Checks the flags before anything is read or started. @throws UsageError */
function checkFlags(name: string, flags: Readonly<Record<string, string>>, { needed, optional }: FlagNames): void {
  for (const flag of needed) if (!flags[flag]) throw new UsageError(`${name} needs --${flag}`)
  for (const flag of Object.keys(flags)) {
    if (!needed.includes(flag) && !optional.includes(flag))
      throw new UsageError(`--${flag} does not belong to "${name}"`)
  }
}

function parseCommandLine(given: readonly string[]) {
  try {
    return parseArgs({
      args: [...given],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
        reset: { type: 'boolean' },
        only: { type: 'string' },
        name: { type: 'string' },
        customer: { type: 'string' },
        url: { type: 'string' },
        type: { type: 'string' },
        since: { type: 'string' },
        limit: { type: 'string' },
        heads: { type: 'string' },
        json: { type: 'boolean' },
        now: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
