// `npm start` when its launcher ends: npm is stopped or killed, the terminal closes, the server itself is killed.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../../server/test/caller.ts'
import { familyOf, isAlive, stateFolder } from './process.ts'

const checkout = resolve(import.meta.dirname, '../../..')
const home = await stateFolder()
after(() => home[Symbol.asyncDispose]())

/** npm reads nobody's settings and looks for no news of itself. */
const env = {
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  HOME: home.path,
  npm_config_update_notifier: 'false',
  CAUSEWAY_HOME: home.path,
}

/** Below the range from which systems hand out ports: nobody else gets one that was given back. */
async function lowPort(): Promise<string> {
  for (;;) {
    const port = 10_240 + Math.floor(Math.random() * 21_000)
    if (!(await isOpen(port))) return String(port)
  }
}

type Started = { launcher: ChildProcess; family: number[]; ports: number[] }

async function start(command: string, args: readonly string[]): Promise<Started> {
  // A separate process group, so that a signal reaches only the launcher.
  const launcher = spawn(command, args, {
    cwd: checkout,
    env: { ...env, PORT: await lowPort(), SANDBOX_PORT: await lowPort() },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  let said = ''
  launcher.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  await until('the banner', () => {
    assert.equal(launcher.exitCode, null, said)
    return said.includes('Ctrl-C stops everything')
  }).catch((error: unknown) => {
    throw new Error(`it said: ${said}`, { cause: error })
  })
  const facts = JSON.parse(await readFile(join(home.path, 'dev.json'), 'utf8'))
  const family = familyOf(launcher.pid ?? 0)
  assert.ok(family.length >= 6, 'the launcher, a shell, the server, the emulator, the database with its own processes')
  return { launcher, family, ports: [facts.baseUrl, facts.providerUrl].map((url) => Number(new URL(url).port)) }
}

async function leavesNothing({ family, ports }: Started): Promise<void> {
  try {
    await until('the end of every process', () => family.every((pid) => !isAlive(pid)))
  } finally {
    for (const pid of family) if (isAlive(pid)) process.kill(pid, 'SIGTERM')
  }
  for (const port of ports) assert.equal(await isOpen(port), false, `port ${port}`)
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const [isConnected] = await Promise.race([
    once(socket, 'connect').then(() => [true]),
    once(socket, 'error').then(() => [false]),
  ]).catch(() => [false])
  socket.destroy()
  return isConnected === true
}

for (const [signal, title] of [
  ['SIGTERM', 'npm that is told to end leaves no server, emulator, database or open port'],
  ['SIGKILL', 'npm that is killed leaves no server, emulator, database or open port'],
] as const) {
  test(title, async () => {
    const started = await start('npm', ['start'])
    started.launcher.kill(signal)
    await leavesNothing(started)
  })
}

test('a terminal that is closed leaves no server, emulator, database or open port', {
  skip: process.platform !== 'linux' && 'script(1) is another command here',
}, async () => {
  const started = await start('script', ['--quiet', '--return', '--command', 'npm start', '/dev/null'])
  started.launcher.kill('SIGKILL') // the terminal's other end is closed with it
  await leavesNothing(started)
})

test('a server that is killed takes its emulator along; its database waits for the next start', async () => {
  const started = await start('npm', ['start'])
  const commands = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  const pidOf = (part: string) =>
    Number(
      commands
        .find((line) => line.includes(part) && started.family.includes(Number.parseInt(line, 10)))
        ?.trim()
        .split(' ')[0],
    )
  const [server, emulator] = [pidOf('bin/causeway.js dev'), pidOf('bin/sandbox.js')]
  process.kill(server, 'SIGKILL')
  await until('the end of the emulator', () => !isAlive(emulator))
  for (const port of started.ports) assert.equal(await isOpen(port), false, `port ${port}`)
})
