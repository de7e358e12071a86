// `causeway fixtures apply`: a world from a file, once; and the faults of a file by their lines.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openWorld, type World } from '../../server/test/world.ts'
import { callCli } from './process.ts'

let world: World
let folder: string
let env: Record<string, string>
before(async () => {
  world = await openWorld({ alone: true })
  folder = await mkdtemp(join(tmpdir(), 'causeway-fixtures-'))
  env = { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: world.business.apiKey, HOME: folder }
})
after(async () => {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

const wallet = '{ payment_rail: solana, currency: usdc, address: 7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE }'
const worldText = `# A shop with one customer who pays, and one who may not.
steps:
  ada:
    endUser: { externalUserId: ada, email: ada@example.com, metadata: { plan: plus }, kycStatus: approved }
  grace:
    endUser: { externalUserId: grace, kycStatus: rejected }
  ada-usd:
    virtualAccount:
      externalUserId: '\${ada:externalUserId}'
      source: { currency: usd }
      destination: ${wallet}
      developer_fee_percent: '0.5'
  ada-savings:
    virtualAccount:
      externalUserId: ada
      source: { currency: usd }
      destination: ${wallet}
      status: deactivated
  linus-eur:
    virtualAccount:
      externalUserId: linus
      source: { currency: eur }
      destination: ${wallet}
  rent:
    deposit: { virtualAccountId: '\${ada-usd:id}', amount: '1000', status: completed }
  salary:
    deposit: { virtualAccountId: '\${ada-usd:id}', amount: '70.10', senderName: Analytical Engines, status: completed }
  salary-again:
    deposit: { virtualAccountId: '\${ada-usd:id}', amount: '70.10', senderName: Analytical Engines, status: completed }
  returned:
    deposit: { virtualAccountId: '\${ada-usd:id}', amount: '5.00', outcome: refunded, status: refunded }
  held:
    deposit: { virtualAccountId: '\${linus-eur:id}', amount: '20.00', outcome: in_review, status: in_review }
`

async function fileOf(text: string): Promise<string> {
  const file = join(folder, 'world.yml')
  await writeFile(file, text)
  return file
}

async function apply(text: string): Promise<{ step: string; what: string; id: string; outcome: string }[]> {
  const { code, stdout, stderr } = await callCli(['fixtures', 'apply', await fileOf(text), '--json'], env)
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout).steps
}

const count = async (path: string): Promise<number> =>
  (await world.business.call('GET', `${path}?limit=100`)).body.data.length

test('a world is made once: a second time nothing changes, and a change of the file changes what it says', async () => {
  const first = await apply(worldText)
  assert.deepEqual(
    first.map(({ step, outcome }) => `${step} ${outcome}`),
    [
      ...['ada', 'grace', 'ada-usd', 'ada-savings', 'linus-eur', 'linus-eur', 'rent', 'salary', 'salary-again'],
      ...['returned', 'held'],
    ].map((step) => `${step} created`),
  )
  const before = await Promise.all(['/v0/end-users', '/v0/virtual-accounts', '/v0/deposits', '/v0/events'].map(count))
  assert.deepEqual(before.slice(0, 3), [3, 3, 5])
  const second = await apply(worldText)
  assert.ok(
    second.every(({ outcome }) => outcome === 'unchanged'),
    JSON.stringify(second),
  )
  const known = new Set(first.map(({ id }) => id))
  assert.ok(second.every(({ id }) => known.has(id)))
  const again = await Promise.all(['/v0/end-users', '/v0/virtual-accounts', '/v0/deposits', '/v0/events'].map(count))
  assert.deepEqual(again, before)

  const told = await callCli(['fixtures', 'apply', await fileOf(worldText)], env)
  assert.match(told.stdout, /^ada +unchanged +end-user ada\ngrace +unchanged/)
  assert.match(told.stderr, /world\.yml: no changes, everything exists\.\n$/)

  const changed = await apply(
    worldText.replace("'0.5'", "'0.6'").replace('plan: plus', 'plan: pro').replace('rejected', 'approved'),
  )
  assert.deepEqual(
    changed.filter(({ outcome }) => outcome !== 'unchanged').map(({ step, outcome }) => `${step} ${outcome}`),
    ['ada changed', 'grace changed', 'ada-usd changed'],
  )
})

test('two who apply one file at the same time make one deposit', async () => {
  const text = `steps:
  account:
    virtualAccount: { externalUserId: twice, source: { currency: usd }, destination: ${wallet} }
`
  await apply(text)
  const both = `${text}  once:\n    deposit: { virtualAccountId: '\${account:id}', amount: '3.00' }\n`
  const file = await fileOf(both)
  const ends = await Promise.all([1, 2].map(() => callCli(['fixtures', 'apply', file, '--json'], env)))
  const ids = ends.map(({ stdout }) => JSON.parse(stdout).steps.at(-1).id)
  assert.equal(ids[0], ids[1])
})

test('a step that the API refuses is told with its line, and what was done before is told apart', async () => {
  const text = `steps:
  hopper:
    endUser: { externalUserId: hopper, kycStatus: rejected }
  account:
    virtualAccount:
      externalUserId: hopper
      source: { currency: usd }
      destination: ${wallet}
`
  const file = await fileOf(text)
  const first = await callCli(['fixtures', 'apply', file], env)
  assert.equal(first.code, 5)
  assert.ok(first.stderr.startsWith(`causeway: ${file}:4: step account: 422 kyc_not_approved`), first.stderr)
  const again = await callCli(['fixtures', 'apply', file, '--json'], env)
  assert.deepEqual([again.code, JSON.parse(again.stderr).error.code], [1, 'kyc_not_approved'])
})

describe('a wrong file ends with 2, and each fault has its line', () => {
  const wrong: readonly [says: string, text: string, lines: readonly string[]][] = [
    [
      'a mistake in the YAML',
      'steps:\n  ada:\n    endUser: { externalUserId: ada\n',
      ['4: Flow map in block collection must be sufficiently indented and end with a }'],
    ],
    [
      'a name that stands twice',
      'steps:\n  a:\n    call: { operation: x }\n  a:\n    call: { operation: x }\n',
      ['4: Map keys must be unique'],
    ],
    ['nothing', '', ['1: The file must be an object']],
    ['no steps', 'about: Nothing\n', ['1: steps is required.']],
    [
      'fields that are not there, and some that are missing',
      'steps:\n  ada:\n    endUser:\n      externalUserID: ada\n  other: { virtualAcount: {} }\n',
      [
        '3: steps.ada.endUser.externalUserId is required.',
        '4: steps.ada.endUser.externalUserID is not a known field. Did you mean externalUserId?',
        '5: steps.other.virtualAcount is not a known field. Did you mean virtualAccount?',
      ],
    ],
    [
      'a number, which loses its zeros',
      'steps:\n  rent:\n    deposit:\n      virtualAccountId: va_1\n      amount: 10.00\n',
      ['5: steps.rent.deposit.amount must be a string: write it in quotes.'],
    ],
    [
      'references to what is not before, and to what is new each time',
      `steps:\n  one:\n    endUser: { externalUserId: '\${two:id}' }\n  two:\n    endUser:\n      externalUserId: 'x-\${fresh:id}'\n`,
      [
        `3: \${two:id} does not refer to an earlier step.`,
        `6: \${fresh:id} can be used only in triggers: it would create a new object in each run.`,
      ],
    ],
    [
      'an event',
      'steps:\n  ada:\n    endUser: { externalUserId: ada }\nevent: { type: a }\n',
      ['4: event can be used only in triggers.'],
    ],
  ]
  for (const [says, text, lines] of wrong) {
    test(says, async () => {
      const file = await fileOf(text)
      const { code, stderr } = await callCli(['fixtures', 'apply', file], { HOME: folder })
      assert.equal(code, 2, stderr)
      const told = stderr.trimEnd().split('\n')
      for (const [at, line] of lines.entries()) assert.ok(told[at]?.startsWith(`${file}:${line}`), stderr)
    })
  }
  test('a file that is not there', async () => {
    const { code, stderr } = await callCli(['fixtures', 'apply', join(folder, 'absent.yml')], env)
    assert.deepEqual([code, stderr.includes('cannot be read')], [2, true])
  })
})

test('where the provider is no emulator nothing is sent, and the reason is told', async () => {
  const file = await fileOf('steps:\n  ada:\n    endUser: { externalUserId: live }\n')
  await using staging = await world.replica({ config: { providerKind: 'bridge' } })
  const { code, stderr } = await callCli(['fixtures', 'apply', file], { ...env, CAUSEWAY_URL: staging.url })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^causeway: The provider of this deployment is not the sandbox provider.*Nothing was sent\..*\n$/,
  )
  assert.equal((await world.business.call('GET', '/v0/end-users/live')).status, 404)
})
