// docs/quickstart.md, word for word: its commands run in a shell against a world, its receiver as a process.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from './free-port.ts'
import { testWorld } from './test-world.ts'

const world = await testWorld()
const folder = await mkdtemp(join(tmpdir(), 'causeway-quickstart-'))
after(async () => {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

const quickstart = await readFile(resolve(import.meta.dirname, '../../../docs/quickstart.md'), 'utf8')
const blocks = (language: string): string[] =>
  [...quickstart.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code)

function runInShell(script: string): Promise<{ output: string; code: number | null }> {
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`
  const shell = spawn('bash', ['-m', '-e', '-u', '-c', script], {
    cwd: folder,
    env: { PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((done) => shell.once('close', (code) => done({ output, code })))
}

const port = String(await freePort()) /* 9000 may be taken here */
const here = (code: string): string => code.replaceAll('9000', port)

test('the quickstart works as it is written, up to a verified event at its receiver', async () => {
  await mkdir(join(folder, '.causeway'))
  await writeFile(join(folder, '.causeway/dev.json'), JSON.stringify(world.facts))
  const [receiver = ''] = blocks('js')
  await writeFile(join(folder, 'receiver.mjs'), here(receiver))
  const { output, code } = await runInShell(here(blocks('sh').join('\n')))
  assert.equal(code, 0, output)
  assert.match(output, /^#\d+ virtual_account\.payment\.received$/m)
  assert.doesNotMatch(output, /not authentic|"error":/)
  assert.match(output, /^ +"status": "completed"/m, 'answers are readable')
  const endpoints = (await world.call('GET', '/v0/webhook-endpoints')).body.data
  assert.deepEqual(
    endpoints.map(({ webhookUrl, isDefault }: Record<string, unknown>) => [webhookUrl, isDefault]),
    [[world.inboxUrl, true]],
    'the inbox goes on receiving',
  )
})

test('a second walk through the quickstart goes as the first, except that its end-user is there already', async () => {
  const { output, code } = await runInShell(here(blocks('sh').join('\n')))
  assert.equal(code, 0, output)
  assert.doesNotMatch(output, /not authentic|undefined|Error/)
  assert.deepEqual(new Set(output.match(/"code": ".*"/g)), new Set(['"code": "end_user_already_exists"']))
  assert.match(output, /^#\d+ virtual_account\.payment\.received$/m)
})
