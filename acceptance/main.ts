// `npm run acceptance` runs the suite against a running service; with `--start`, it starts a service and removes it afterwards.
// Other arguments go to Node's test runner: `-- acceptance/webhooks.test.ts`, `-- --test-name-pattern=signed`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { findService, startService } from '../examples/service.ts'

const FILES_AT_ONCE = 4 // most of the time a file waits for an event

export async function main(args: readonly string[]): Promise<number> {
  const service = args.includes('--start') ? await startService() : findService()
  try {
    const { baseUrl: CAUSEWAY_URL, apiKey: CAUSEWAY_API_KEY, adminSecret: CAUSEWAY_ADMIN_SECRET } = service
    const env = { ...process.env, CAUSEWAY_URL, CAUSEWAY_API_KEY, CAUSEWAY_ADMIN_SECRET }
    const forRunner = args.filter((arg) => arg !== '--start')
    return await runTests(forRunner, env)
  } finally {
    await service.stop()
  }
}

async function runTests(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const suite = globSync(`${import.meta.dirname}/*.test.ts`).sort()
  const options = args.filter((arg) => arg.startsWith('-'))
  const named = args.filter((arg) => !arg.startsWith('-'))
  const runner = ['--test', '--test-reporter=spec', `--test-concurrency=${FILES_AT_ONCE}`, ...options]
  const child = spawn(process.execPath, [...runner, ...(named.length > 0 ? named : suite)], { env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2)).catch((error: Error) => {
    console.error(error.message)
    return 1
  })
}
