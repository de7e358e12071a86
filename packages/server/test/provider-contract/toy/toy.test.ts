// The adapter of the page "Write a provider adapter" passes the first three stories.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { judge } from '../contract.ts'
import { stories } from '../stories.ts'
import type { Candidate } from '../worlds.ts'
import { createToy } from './toy.ts'

const toy: Candidate = {
  make: ({ origin, apiKey, timeoutMs }) => createToy({ baseUrl: `${origin}/api`, apiKey, timeoutMs }),
  async start(port) {
    const emulator = resolve(import.meta.dirname, 'emulator.ts')
    const child = spawn(process.execPath, [emulator, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const [line = ''] = await once(createInterface(child.stdout), 'line')
    const stop = async () => {
      child.kill()
      await exited
    }
    return { ...JSON.parse(line), pid: child.pid ?? 0, stop }
  },
  refusals: {},
  decisions: {},
  strange: (response) => response,
  draw: null,
}

judge(
  'Tollgate',
  toy,
  stories.filter(({ number }) => number <= 3),
)
