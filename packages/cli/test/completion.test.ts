// `causeway completion` in the shells themselves: what a Tab offers, from the script that the command prints.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { lacking } from '../../../scripts/test-needs.ts'
import { listCommands } from '../src/commands/tree.ts'
import { callCli } from './process.ts'

const run = promisify(execFile)
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-completion-'))
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await callCli(['completion', shell])
    assert.equal(code, 0)
    await writeFile(join(folder, shell), stdout)
  }
})
after(() => rm(folder, { recursive: true }))

type Offers = (typed: string) => Promise<string[]>

const inBash: Offers = async (typed) => {
  const words = typed.split(' ')
  const script = `source ${join(folder, 'bash')}; COMP_WORDS=("$@"); COMP_CWORD=${words.length - 1}; _causeway; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['--norc', '-c', script, 'bash', ...words])
  return stdout.split('\n').filter(Boolean)
}

const inFish: Offers = async (typed) => {
  const script = `source ${join(folder, 'fish')}; complete -C $argv[1]`
  const { stdout } = await run('fish', ['--no-config', '-c', script, typed], { env: { ...process.env, HOME: folder } })
  return stdout
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .filter(Boolean)
}

for (const [shell, offers, skip] of [
  ['bash', inBash, false],
  ['fish', inFish, lacking('fish')],
] as const) {
  describe(shell, { skip }, () => {
    test('the first word is a command or a noun, the second what can be done with it', async () => {
      const first = [...new Set(listCommands().map(({ name }) => name.split(' ')[0] ?? ''))]
      assert.deepEqual((await offers('causeway ')).toSorted(), first.toSorted())
      assert.deepEqual((await offers('causeway webhook-e')).toSorted(), ['webhook-endpoints'])
      assert.deepEqual((await offers('causeway virtual-accounts d')).toSorted(), [
        'deactivate',
        'deposit-instructions',
        'deposits',
      ])
    })

    test('options are those of the command, also behind other options and arguments', async () => {
      assert.deepEqual(await offers('causeway listen --for'), ['--forward-to'])
      assert.deepEqual(await offers('causeway end-users list --limit 5 --ext'), ['--external-user-id'])
      assert.deepEqual(await offers('causeway end-users get ada --prof'), ['--profile'])
      assert.deepEqual(await offers('causeway dev --forw'), [])
    })
  })
}

describe('zsh', { skip: lacking('zsh') }, () => {
  test('a Tab finishes a noun, what can be done with it, and an option', async () => {
    // The function replaces the program and prints the typed words.
    await writeFile(join(folder, 'causeway'), 'causeway() { print -r -- "got:" "$@" ":end" }')
    const set = `autoload -Uz compinit; compinit -u -d ${folder}/dump; source ${folder}/zsh; source ${folder}/causeway`
    const script = `zmodload zsh/zpty; zpty inner zsh -f -i; zpty -w inner "$1"; zpty -w inner "$2"; zpty -r inner said '*got:*:end*'; print -r -- "$said"; zpty -d inner`
    const typed = 'causeway end-u\tli\t--metad\t'
    const { stdout } = await run('zsh', ['-f', '-c', script, 'zsh', set, typed], { timeout: 30_000 })
    assert.match(stdout, /got: end-users list --metadata :end/)
  })
})

test('an unknown shell is wrong use, and the three are named', async () => {
  const { code, stderr } = await callCli(['completion', 'tcsh'])
  assert.equal(code, 2)
  assert.match(stderr, /bash, zsh, fish/)
})

test('commands prints the tree: for each command its arguments, options, examples and exit codes', async () => {
  const { stdout } = await callCli(['commands', '--json'])
  const commands = JSON.parse(stdout)
  assert.deepEqual(
    commands.map(({ name }: { name: string }) => name),
    listCommands().map(({ name }) => name),
  )
  const get = commands.find(({ name }: { name: string }) => name === 'end-users get')
  assert.equal(get.arguments[0].name, '<externalUserId>')
  assert.equal(get.exitCodes['4'], 'the server cannot be reached')
  assert.ok(get.options.some(({ flags }: { flags: string }) => flags === '--json'))
  const table = await callCli(['commands'], {}, { isInteractive: true })
  assert.match(table.stdout, /^name +summary\ndev +start the local environment/)
})
