// The process: reads flags, prints one ready line, and ends on a signal or with its parent.
import { parseArgs } from 'node:util'
import { providerKinds, type Sandbox, type SandboxOptions, startSandbox } from './app/sandbox.ts'

const exitCodes = { ok: 0, failed: 1, usage: 64 }

/** A slower end is cut short. */
const stopMsMax = 800

const weekMs = 7 * 24 * 60 * 60 * 1000

/** A flag that cannot be understood. The message is for the person who typed it. */
class UsageError extends Error {}

const flags = {
  provider: { type: 'string', default: 'bridge' },
  port: { type: 'string', default: '8081' },
  host: { type: 'string', default: '127.0.0.1' },
  url: { type: 'string' },
  state: { type: 'string' },
  'api-key': { type: 'string' },
  'kyc-decision-ms': { type: 'string' },
  'deposit-step-ms': { type: 'string' },
  'webhook-retry-ms': { type: 'string' },
  'webhook-timeout-ms': { type: 'string' },
  'strict-agreements': { type: 'boolean', default: false },
  'embed-origins': { type: 'string' },
  'exit-with-parent': { type: 'boolean', default: false },
} as const

const readFlags = (args: string[]): SandboxOptions & { exitWithParent: boolean } => {
  const values = parseFlags(args)
  const provider = providerKinds.find((kind) => kind === values.provider)
  if (!provider) throw new UsageError(`--provider takes ${providerKinds.join(' or ')}, not "${values.provider}"`)
  const apiKey = values['api-key']
  if (apiKey !== undefined && !/^sk-test-[A-Za-z0-9_-]{8,}$/.test(apiKey)) {
    throw new UsageError('--api-key must start with sk-test-, followed by at least 8 letters or digits')
  }
  return {
    provider,
    port: number('port', values.port, 65_535),
    host: values.host,
    strictAgreements: values['strict-agreements'],
    exitWithParent: values['exit-with-parent'],
    ...given({
      url: values.url && origin('url', values.url),
      stateDirectory: values.state,
      apiKey,
      kycDecisionMs: milliseconds('kyc-decision-ms', values['kyc-decision-ms']),
      depositStepMs: milliseconds('deposit-step-ms', values['deposit-step-ms']),
      webhookTimeoutMs: milliseconds('webhook-timeout-ms', values['webhook-timeout-ms']),
      webhookRetryMs: values['webhook-retry-ms']?.split(',').map((text) => number('webhook-retry-ms', text, weekMs)),
      embedOrigins: values['embed-origins']?.split(',').map((text) => origin('embed-origins', text)),
    }),
  }
}

const parseFlags = (args: string[]) => {
  try {
    return parseArgs({ args, options: flags, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(
      `${error instanceof Error ? error.message : error}\nFlags: --${Object.keys(flags).join(' --')}`,
    )
  }
}

const number = (flag: string, text: string, max: number): number => {
  const value = /^\d{1,12}$/.test(text.trim()) ? Number(text) : Number.NaN
  if (!(value <= max)) throw new UsageError(`--${flag} takes whole numbers from 0 to ${max}, not "${text}"`)
  return value
}

const milliseconds = (flag: string, text: string | undefined): number | undefined =>
  text === undefined ? undefined : number(flag, text, weekMs)

const origin = (flag: string, text: string): string => {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') {
    throw new UsageError(`--${flag} takes an origin such as http://127.0.0.1:8081, not "${text}"`)
  }
  return url.origin
}

/** Leaves out flags that were not given, so that their defaults apply. */
const given = <Values extends Record<string, unknown>>(values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined | ''>
  }

const stop = async (sandbox: Sandbox): Promise<void> => {
  setTimeout(() => process.exit(exitCodes.ok), stopMsMax).unref()
  await sandbox.close()
  process.exit(exitCodes.ok)
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const isPortTaken = 'code' in error && error.code === 'EADDRINUSE' && 'port' in error
  return isPortTaken ? `port ${error.port} is in use: choose another with --port` : error.message
}

try {
  const { exitWithParent, ...options } = readFlags(process.argv.slice(2))
  const sandbox = await startSandbox(options)
  const end = () => void stop(sandbox)
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
  if (exitWithParent) process.stdin.resume().once('end', end).once('error', end)
  console.log(JSON.stringify({ ready: true, url: sandbox.url, apiKey: sandbox.apiKey }))
} catch (error) {
  console.error(`sandbox: ${messageOf(error)}`)
  process.exit(error instanceof UsageError ? exitCodes.usage : exitCodes.failed)
}
