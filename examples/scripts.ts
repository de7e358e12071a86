// Runs the two scripts that go from an API key to a reconciled deposit, each in its own process, as a newcomer does.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { lacking, pythonPath } from '../scripts/test-needs.ts'
import type { Service } from './service.ts'
import { chapter, saw } from './story/tell.ts'

export async function runScripts(service: Service): Promise<void> {
  chapter('From the key to a reconciled deposit, in one file')
  const sources = ['--conditions=@causeway/source'] // the SDK from its sources, as long as nobody has built it
  await run('TypeScript', process.execPath, [...sources, join(import.meta.dirname, 'first-deposit.ts')], service)
  const lack = lacking('python')
  if (lack) console.log(`  – Python is skipped: ${lack}`)
  else await run('Python', pythonPath, [join(import.meta.dirname, 'python/first_deposit.py')], service)
}

async function run(language: string, program: string, args: string[], { baseUrl, apiKey }: Service): Promise<void> {
  const env = { CAUSEWAY_URL: baseUrl, CAUSEWAY_API_KEY: apiKey, RECEIVER_PORT: String(await freePort()) }
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const output: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const [code] = await once(child, 'close')
  const last = output.join('').trimEnd().split('\n').at(-1) ?? ''
  if (code !== 0 || !last.startsWith('reconciled: '))
    throw new Error(`${language} ended with ${code}: ${output.join('')}`)
  saw(`${language}: ${last}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
