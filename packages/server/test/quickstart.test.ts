// Runs /docs/start/quickstart word for word in each of its languages: its commands in a shell against a local
// environment, with its listener and its receiver. Only `npm start` is replaced by the environment of the test, and
// `npx` by the programs that npx would find.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { lacking, pythonPath } from '../../../scripts/test-needs.ts'
import { freePort } from './caller.ts'
import { freshUserId } from './people.ts'
import { openWorld } from './world.ts'

const root = resolve(import.meta.dirname, '../../..')
const page = await readFile(join(root, 'docs/src/content/docs/start/quickstart.mdx'), 'utf8')

type Block = { label: string | null; language: string; code: string }

/** The blocks of the page in order, each with its tab. */
const blocks: Block[] = []
let tab: string | null = null
for (const [, label, end, language = '', code = ''] of page.matchAll(
  /^<TabItem label="(.+)">$|^(<\/TabItem>)$|^```(\w+).*\n([\s\S]*?)^```$/gm,
)) {
  if (label !== undefined) tab = label
  else if (end !== undefined) tab = null
  else blocks.push({ label: tab, language, code })
}

const languages = {
  curl: { receiver: 'TypeScript', skip: lacking('jq') },
  TypeScript: { receiver: 'TypeScript', skip: false },
  Python: { receiver: 'Python', skip: lacking('python') },
} as const
type Language = keyof typeof languages

const walkMsMax = 60_000

/** `shown` waits until a file holds a text. */
const prelude = `
  npx() { command "$@"; }
  python() { '${pythonPath}' "$@"; }
  shown() { until grep -q "$1" "$2" 2> shown.log; do sleep 0.1; done; }
`

/** The page as a reader of one language follows it. */
function walk(language: Language): string {
  const own = blocks.filter(({ label, code }) => {
    const wanted = code.includes('receiver.') ? languages[language].receiver : language
    return label === null || label === wanted
  })
  const others = /npm start|venv/ // the world and the Python of the test
  const commands = own.filter((block) => block.language === 'sh' && !others.test(block.code))
  const steps = commands.map(({ code }) => {
    if (code.includes('--forward-to')) return `${code.trim()} > listen.txt 2>&1 &\nshown 'Press Ctrl-C' listen.txt`
    return code.replace(/ &$/m, ' > receiver.txt 2>&1 &')
  })
  return [prelude, ...steps, 'shown "payment.received *$END_USER *204 " listen.txt'].join('\n')
}

describe('the quickstart works as it is written, up to a verified event at its receiver', {
  concurrency: 3,
}, async () => {
  const world = await openWorld({ alone: true })
  const folder = await mkdtemp(join(tmpdir(), 'causeway-quickstart-'))
  after(async () => {
    await world.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A folder as that of the repository in which `npm start` runs. */
  async function repository(language: Language): Promise<string> {
    const cwd = join(folder, language)
    await mkdir(join(cwd, '.causeway'), { recursive: true })
    await writeFile(join(cwd, '.causeway/dev.json'), JSON.stringify(world.facts))
    const running = { pid: process.pid, baseUrl: world.facts.baseUrl }
    await writeFile(join(cwd, '.causeway/running.json'), JSON.stringify(running))
    await writeFile(join(cwd, 'package.json'), '{ "type": "module" }')
    for (const name of ['node_modules', 'docs']) await symlink(join(root, name), join(cwd, name))
    for (const [at, { label, language: kind, code }] of blocks.entries()) {
      if (kind !== 'ts' && kind !== 'py') continue
      const [name] =
        blocks
          .slice(at)
          .find((one) => one.label === label && one.language === 'sh')
          ?.code.match(/\w+\.(ts|py)/) ?? []
      await writeFile(join(cwd, name ?? assert.fail(`no command runs the ${kind} code`)), code)
    }
    return cwd
  }

  for (const language of Object.keys(languages) as Language[]) {
    test(language, { skip: languages[language].skip }, async () => {
      const [cwd, port, user] = [await repository(language), String(await freePort()), freshUserId()]
      const script = walk(language).replaceAll('9000', port).replaceAll('=ada', `=${user}`)
      const path = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`
      const env = { PATH: path, HOME: cwd, END_USER: user, PORT: port }
      const shell = spawn('bash', ['-e', '-u', '-o', 'pipefail', '-c', script], {
        cwd,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      // With the listener and the receiver, which are children of its jobs.
      const endGroup = (): void => {
        try {
          process.kill(-(shell.pid ?? 0), 'SIGKILL')
        } catch {} // nobody is left
      }
      const late = setTimeout(endGroup, walkMsMax)
      let output = ''
      for (const stream of [shell.stdout, shell.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
      const code = await new Promise((done) => shell.once('close', done))
      clearTimeout(late)
      endGroup()
      const [received, listened] = await Promise.all(
        ['receiver.txt', 'listen.txt'].map((name) => readFile(join(cwd, name), 'utf8')),
      )
      assert.equal(code, 0, `${output}\n${listened}`)
      assert.match(received ?? '', /^virtual_account\.payment\.received$/m)
      assert.doesNotMatch(received ?? '', /not authentic/)
      assert.match(listened ?? '', new RegExp(`virtual_account\\.payment\\.received +${user} +204 `))
      const accounts = (await world.business.call('GET', `/v0/virtual-accounts?externalUserId=${user}`)).body.data
      assert.equal(accounts.length, 1, 'the deposit is sent to the account that the walk opened')
      const deposits = (await world.business.call('GET', `/v0/virtual-accounts/${accounts[0].id}/deposits`)).body.data
      assert.deepEqual(
        deposits.map(({ status }: { status: string }) => status),
        ['completed'],
      )
    })
  }
})
