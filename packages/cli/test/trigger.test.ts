// `causeway trigger`: every scenario ends with its event, names are found, fields are set, and mistakes are reported.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { businessEventTypes } from '../../server/src/events/catalogue.rules.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import { findTrigger, listTriggers } from '../src/fixtures/catalogue.ts'
import { callCli } from './process.ts'

let world: World
let folder: string
let env: Record<string, string>
before(async () => {
  world = await openWorld({ alone: true })
  folder = await mkdtemp(join(tmpdir(), 'causeway-trigger-test-'))
  env = { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: world.business.apiKey, HOME: folder }
})
after(async () => {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, which assert what they find
async function play(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await callCli(['trigger', ...args, '--json'], env)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

describe('every scenario of the catalogue ends with its event', () => {
  for (const { source, event: expected } of listTriggers()) {
    test(source, async () => {
      const { trigger, event } = await play(source)
      assert.deepEqual([trigger, event.eventType], [source, expected?.type])
    })
  }
})

test('every event type of ours has a scenario', () => {
  for (const type of businessEventTypes) assert.ok(findTrigger(type).event, type)
})

test('played twice, a deposit finds its end-user and account again, and comes a second time', async () => {
  const [, second] = [await play('deposit.completed'), await play('virtual_account.payment.received')]
  assert.deepEqual(
    second.steps.map(({ step, outcome }: Record<string, string>) => `${step} ${outcome}`),
    ['account unchanged', 'deposit done'],
  )
  const third = await play('deposit.completed')
  assert.equal(third.steps[0].id, second.steps[0].id)
  assert.notEqual(third.steps[1].id, second.steps[1].id)
})

test('--set and --edit change fields of the steps', async () => {
  const { event } = await play(
    'deposit.completed',
    '--set',
    'account.externalUserId=ada',
    '--set',
    'deposit.amount=7.25',
  )
  assert.deepEqual([event.externalUserId, event.payload.data.grossAmount.value], ['ada', '7.25'])
  const editor = join(folder, 'editor.mjs')
  await writeFile(
    editor,
    "import { readFileSync, writeFileSync } from 'node:fs'\nconst [, , path] = process.argv\nwriteFileSync(path, readFileSync(path, 'utf8').replaceAll('1000.00', '8.50'))\n",
  )
  const own = { ...env, PATH: process.env['PATH'] ?? '', EDITOR: `"${process.execPath}" "${editor}"` }
  const edited = await callCli(['trigger', 'deposit.completed', '--edit', '--json'], own)
  assert.equal(edited.code, 0, edited.stderr)
  assert.equal(JSON.parse(edited.stdout).event.payload.data.grossAmount.value, '8.50')
})

test('in a terminal, the steps are on standard error, and one line of the event on standard output', async () => {
  const { stdout, stderr } = await callCli(['trigger', 'virtual_account.updated'], env, { isInteractive: true })
  assert.match(
    stderr,
    /^virtual_account\.updated: You change the fee of an account\.\naccount +changed +account va_\w+\n/,
  )
  const [, id = ''] = /^[\d:]{8} {2}virtual_account\.updated {2}trigger-user {2}(evt_\w+)\n/.exec(stdout) ?? []
  assert.equal(stdout.split('\n')[1], `To see the payload: npx causeway events get ${id}`)
})

test('the list names each scenario with its event', async () => {
  const list = await callCli(['trigger', '--list'], {})
  const rows = JSON.parse(list.stdout)
  assert.deepEqual(
    rows.find(({ name }: { name: string }) => name === 'kyc.rejected'),
    {
      name: 'kyc.rejected',
      event: 'end_user.kyc.updated',
      steps: 'user, decision',
      about: 'The provider rejects an end-user.',
    },
  )
})

describe('mistakes', () => {
  const told: readonly [args: readonly string[], code: number, says: RegExp][] = [
    [
      ['deposit.complete'],
      2,
      /unknown event or scenario deposit\.complete\.\n\(Did you mean deposit\.completed, .*deposit\.refunded/,
    ],
    [['kcy.rejected'], 2, /\(Did you mean kyc\.rejected\?\)/],
    [['transfer.created'], 2, /no scenario sends transfer\.created/],
    [[], 2, /Next: causeway trigger --list/],
    [['deposit.completed', '--set', 'payment.amount=1'], 2, /the steps of deposit\.completed are: account, deposit/],
    [['deposit.completed', '--edit'], 2, /set EDITOR/],
    [['deposit.completed', '--set', 'deposit.amount=nothing'], 1, /deposit\.completed:9: step deposit: 400 /],
    [
      ['virtual_account.updated', '--set', 'account.externalUserId=partly', '--set', 'change.colour=red'],
      5,
      /unknown_field/,
    ],
  ]
  for (const [args, code, says] of told) {
    test(`trigger ${args.join(' ')} ends with ${code}`, async () => {
      const ended = await callCli(['trigger', ...args], { ...env, EDITOR: '', VISUAL: '' })
      assert.deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr)
      assert.match(ended.stderr, says)
    })
  }
})
