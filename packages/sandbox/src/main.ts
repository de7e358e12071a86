// The process: flags in, one ready line out, a clean end on a signal or when the parent goes.
import { readFlags, UsageError } from './app/flags.ts'
import { type Sandbox, startSandbox } from './app/sandbox.ts'

const exitCodes = { ok: 0, failed: 1, usage: 64 }

/** An end that takes longer than this is not waited for. */
const stopMsMax = 800

const fail = (error: unknown): never => {
  const isUsage = error instanceof UsageError
  console.error(`sandbox: ${error instanceof Error ? explain(error) : error}`)
  process.exit(isUsage ? exitCodes.usage : exitCodes.failed)
}

const explain = (error: Error & { code?: string; port?: number }): string =>
  error.code === 'EADDRINUSE' ? `port ${error.port} is in use: choose another with --port` : error.message

const stop = async (sandbox: Sandbox): Promise<void> => {
  setTimeout(() => process.exit(exitCodes.ok), stopMsMax).unref()
  await sandbox.close()
  process.exit(exitCodes.ok)
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
  fail(error)
}
