// The reader of the log may die, and a process may end by an error: neither stops a possible delivery, nor leaves a
// database running.

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { entry, isAlive, stateFolder } from '../../cli/test/process.ts'
import { dataOf } from '../../embedded-postgres/src/cluster.ts'
import { locate } from '../../embedded-postgres/src/place.ts'
import { readPostmasterId } from '../../embedded-postgres/src/socket.ts'
import { request, until } from './caller.ts'

const env = (home: string) => ({
  PATH: process.env['PATH'] ?? '',
  CAUSEWAY_HOME: home,
  PROVIDER_KIND: 'sandbox',
  PROVIDER_URL: 'http://127.0.0.1:9/v0',
  PROVIDER_API_KEY: 'sk-test-none',
  RECONCILE_PERIOD_SECONDS: '0',
  PORT: '0',
})

function postmasterOf(home: string): number {
  const id = readPostmasterId(dataOf(locate(home)))
  assert.ok(id !== null && isAlive(id), 'the database runs')
  return id
}

/** `serve` whose log goes into a pipe that `cat` reads. */
async function serveIntoPipe(home: string) {
  const pipe = join(home, 'log')
  execFileSync('mkfifo', [pipe])
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'ignore', 'inherit'] })
  const server = spawn(process.execPath, [entry, 'serve'], {
    env: { ...env(home), LOG_LEVEL: 'debug' },
    stdio: ['ignore', 'pipe', openSync(pipe, 'w')],
  })
  const exited = once(server, 'exit')
  const { promise, resolve } = Promise.withResolvers<string>()
  if (server.stdout)
    createInterface({ input: server.stdout }).on('line', (line) => {
      const url = /listens on (http\S+)/.exec(line)?.[1]
      if (url) resolve(url)
    })
  const url = await Promise.race([promise, exited.then(() => assert.fail('serve ended'))])
  const linesLost = async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    return Number(/^causeway_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1])
  }
  const terminate = async () => {
    server.kill('SIGTERM')
    const [code] = await exited
    return code
  }
  const end = async () => {
    reader.kill('SIGKILL')
    server.kill('SIGKILL')
    await exited
  }
  return { url, reader, server, linesLost, terminate, [Symbol.asyncDispose]: end }
}

test('a log whose reader was killed stops nothing: requests go on, lost lines are counted, and the end is in order', async () => {
  await using folder = await stateFolder()
  await using serve = await serveIntoPipe(folder.path)
  const { url, reader, server, linesLost, terminate } = serve
  const postmaster = postmasterOf(folder.path)
  assert.equal(await linesLost(), 0)
  reader.kill('SIGKILL')
  await once(reader, 'exit')
  for (let count = 0; count < 20; count++) assert.equal((await request('GET', `${url}/v0/whoami`)).status, 401)
  await until('lost lines', async () => (await linesLost()) >= 20)
  assert.ok(isAlive(server.pid ?? 0) && isAlive(postmaster))
  assert.equal(await terminate(), 0)
  assert.ok(!isAlive(postmaster), 'the database is stopped')
})

test('a process that ends by a fault of its own leaves no database running', async () => {
  await using folder = await stateFolder()
  const text = `
    const { startEmbedded } = await import(${JSON.stringify(import.meta.resolve('../../embedded-postgres/src/embedded.ts'))})
    await startEmbedded({ home: ${JSON.stringify(folder.path)}, durable: false })
    process.stdin.once('data', () => { throw new Error('a fault') })
    console.log('up')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  const postmaster = postmasterOf(folder.path)
  child.stdin.write('now')
  const [code] = await exited
  assert.equal(code, 1)
  await until('the end of the database', () => !isAlive(postmaster))
})
