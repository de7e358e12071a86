// The help of every command, compared with the reviewed text. `UPDATE_HELP=1` writes the file.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { resourceCommands } from '../src/commands/resources/tree.ts'
import { listCommands } from '../src/commands/tree.ts'
import { callCli } from './process.ts'

const path = join(import.meta.dirname, 'help.txt')

test('the help of every command needs nothing to be there; of those written by hand it is the text that was looked at', async () => {
  const operations = resourceCommands().map(({ name }) => name)
  const texts: string[] = []
  for (const { name } of listCommands()) {
    const args = [...name.split(' '), '--help']
    const { code, stdout, stderr } = await callCli(args, { DATABASE_URL: 'nonsense' })
    assert.deepEqual([code, stderr], [0, ''], name)
    assert.ok(stdout.includes(`Examples:\n  causeway ${name}`), name)
    if (!operations.includes(name)) texts.push(`$ causeway ${args.join(' ')}\n\n${stdout}`)
  }
  const text = texts.join(`\n${'-'.repeat(80)}\n`)
  if (process.env['UPDATE_HELP']) await writeFile(path, text)
  assert.equal(text, await readFile(path, 'utf8'))
})

test('every example of a help text names its own command and only options that it has', () => {
  for (const { name, examples, options = [], reach } of listCommands()) {
    const known = [
      ...options.map(([flags]) => flags),
      '--json',
      ...(reach === 'api' ? ['--profile --base-url --api-key'] : []),
    ]
    for (const example of examples) {
      assert.ok(example.replace(/^.* \| (?:\w+ )*causeway /, '').startsWith(name) || example.includes(name), example)
      for (const [option] of example.matchAll(/--[a-z-]+/g))
        assert.ok(
          known.some((flags) => flags.includes(option)),
          `${example}: ${option}`,
        )
    }
  }
})
