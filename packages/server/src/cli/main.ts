// `causeway <command>`: reads the arguments, runs the command, and turns failures into one clear text and an exit code.

import { parseArgs } from 'node:util'
import { ConfigError, processEnvironment } from '../config.ts'
import { ApiError, resolutionOf } from '../errors.ts'
import { EmbeddedError } from '../store/embedded-error.ts'
import { version } from '../version.ts'
import { demo } from './demo.ts'
import { dev } from './dev.ts'
import { isOperatorCommand, runOperatorCommand, UsageError } from './operator.ts'
import { loadConfig, serve } from './serve.ts'

const usage = `causeway ${version}

  causeway dev [--reset]        everything on this machine: database, emulated provider, server, webhook inbox
  causeway demo                 the whole story once, step by step, in a world of its own
  causeway serve                the service, configured by the environment (docs/configuration.md)

  causeway migrate                                        bring the database schema up to date
  causeway customer create --name NAME                    a business that may call the API
  causeway customer list
  causeway customer suspend|activate --customer biz_…
  causeway customer webhook-url --customer biz_… --url https://…
  causeway key issue --customer biz_… [--name NAME]       prints a new API key, once
  causeway key list --customer biz_…
  causeway provider connect --url https://…/v0/webhooks/provider
                                                          register our webhook endpoint at the provider
`

/** sysexits.h: EX_USAGE and EX_CONFIG. */
const exitUsage = 64
const exitConfig = 78

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseCommandLine(args)
  const name = positionals.join(' ')
  const env = processEnvironment()
  if (values.version) return console.log(version)
  if (values.help || name === 'help') return console.log(usage)
  if (name === 'dev') return await dev(env, { reset: values.reset === true })
  if (name === 'demo') return await demo()
  if (name === 'serve') return await serve(env)
  if (!isOperatorCommand(name)) throw new UsageError(name === '' ? 'a command is needed' : `unknown command: ${name}`)
  const { name: given, customer, url } = values
  await runOperatorCommand(name, { name: given, customer, url }, await loadConfig(env))
}

function parseCommandLine(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
        reset: { type: 'boolean' },
        name: { type: 'string' },
        customer: { type: 'string' },
        url: { type: 'string' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function report(error: unknown): number {
  if (error instanceof UsageError) {
    console.error(`causeway: ${error.message}\n\n${usage}`)
    return exitUsage
  }
  if (error instanceof ConfigError) {
    console.error(error.message)
    return exitConfig
  }
  if (error instanceof ApiError) console.error(`causeway: ${error.code}: ${error.message} ${resolutionOf(error)}`)
  else if (error instanceof EmbeddedError) console.error(`causeway: ${error.message}`)
  else if (isListenError(error)) console.error(`causeway: ${listenText(error)}`)
  else console.error('causeway:', error instanceof Error ? error.message : error)
  return 1
}

function isListenError(error: unknown): error is Error & { code: string; port?: number } {
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')
}

function listenText(error: Error & { code: string; port?: number }): string {
  const what = error.code === 'EADDRINUSE' ? 'is in use already' : 'may not be opened by this user'
  return `port ${error.port ?? ''} ${what}. Set PORT (and SANDBOX_PORT) to another one; 0 picks a free one.`
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.exitCode = report(error)
}
