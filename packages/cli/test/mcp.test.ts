// `causeway mcp` as assistants use it: the real command, the official client library, and a running server.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { operations } from '../../sdk/src/generated/operations.gen.ts'
import { until } from '../../server/test/caller.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import { listTools } from '../src/mcp/tools.ts'
import { callCli, entry, isAlive } from './process.ts'

let world: World
let folder: string
before(async () => {
  world = await openWorld({ alone: true })
  folder = await mkdtemp(join(tmpdir(), 'causeway-mcp-'))
})
after(async () => {
  await world.stop()
  await rm(folder, { recursive: true })
})

type Session = AsyncDisposable & { client: Client; pid: number; call: Call }
type Call = (tool: string, given: Record<string, unknown>) => Promise<{ isError: boolean; text: string }>

/** Starts the command and begins a session with it. */
async function connect(args: readonly string[] = [], changes: Record<string, string> = {}): Promise<Session> {
  const { url: baseUrl } = world
  const { apiKey } = world.business
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [entry, 'mcp', ...args],
    env: { CAUSEWAY_URL: baseUrl, CAUSEWAY_API_KEY: apiKey, HOME: folder, ...changes },
    cwd: folder,
    stderr: 'ignore',
  })
  await client.connect(transport)
  const pid = transport.pid ?? 0
  return {
    client,
    pid,
    async call(name, given) {
      const { content, isError } = await client.callTool({ name, arguments: given })
      const [first] = content
      assert.ok(content.length === 1 && first?.type === 'text')
      return { isError: isError === true, text: first.text }
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await until('the end of the command', () => !isAlive(pid))
    },
  }
}

describe('what an assistant is offered', () => {
  test('without --write every tool only reads and says so; with it those that write stand apart', async () => {
    await using reader = await connect()
    const { tools } = await reader.client.listTools()
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true))
    assert.ok(tools.some(({ name }) => name === 'virtual_accounts'))
    assert.match(reader.client.getInstructions() ?? '', /causeway mcp --write/)

    await using writer = await connect(['--write'])
    const all = (await writer.client.listTools()).tools
    assert.ok(all.length <= 20, `${all.length} tools`)
    for (const { name, annotations } of all) assert.equal(annotations?.readOnlyHint, !name.endsWith('_write'), name)
    const sandbox = all.find(({ name }) => name === 'sandbox_write')
    assert.equal(sandbox?.annotations?.destructiveHint, true)
    assert.match(JSON.stringify(sandbox?.inputSchema), /"virtualAccountId".*"amount".*"outcome"/)
  })

  test('every reading operation of a business is an action of one tool, and none that holds a secret writes', () => {
    const actions = listTools(true).flatMap((tool) => [...tool.actions.keys()])
    const reading = Object.entries(operations).filter(([, { method, auth }]) => method === 'GET' && auth === 'business')
    for (const [id] of reading) assert.equal(actions.filter((action) => action === id).length, 1, id)
    for (const id of ['issueApiKey', 'rollApiKey', 'createWebhookEndpoint', 'rotateWebhookSecret', 'submitKyc'])
      assert.ok(!actions.includes(id), id)
    assert.ok(!actions.some((id) => operations[id as keyof typeof operations].auth !== 'business'))
    assert.ok(!JSON.stringify(listTools(true).map(({ inputSchema }) => inputSchema)).includes('$ref'))
  })
})

describe('reading', () => {
  test('objects are read, and a list goes on where its page ended', async () => {
    const metadata = { group: 'paged' }
    for (const externalUserId of ['ada', 'bob', 'eve'])
      await world.business.call('POST', '/v0/end-users', { externalUserId, metadata })
    await using session = await connect()
    const one = await session.call('end_users', { action: 'getEndUser', externalUserId: 'ada' })
    assert.equal(JSON.parse(one.text).data.nextAction.kind, 'accept_tos')
    const first = JSON.parse((await session.call('end_users', { action: 'listEndUsers', limit: 2, metadata })).text)
    const rest = { action: 'listEndUsers', limit: 2, metadata, cursor: first.nextCursor }
    const second = JSON.parse((await session.call('end_users', rest)).text)
    const ids = [...first.data, ...second.data].map(({ externalUserId }) => externalUserId)
    assert.deepEqual([ids, second.nextCursor], [['eve', 'bob', 'ada'], undefined])
  })

  test('an answer is bounded: a list that is too long comes in smaller pages, and loses nothing', async () => {
    const long = 'x'.repeat(500)
    const metadata = Object.fromEntries([...'abcdefghij'].map((key) => [key, long]))
    for (let number = 0; number < 15; number++)
      await world.business.call('POST', '/v0/end-users', {
        externalUserId: `long-${number}`,
        type: 'business',
        metadata,
      })
    await using session = await connect()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = { action: 'listEndUsers', type: 'business', limit: 100, ...(cursor && { cursor }) }
      const { text } = await session.call('end_users', page)
      assert.ok(text.length <= 60_000, `${text.length} characters`)
      const { data, nextCursor } = JSON.parse(text)
      seen.push(...data.map(({ externalUserId }: { externalUserId: string }) => externalUserId))
      cursor = nextCursor
    } while (cursor)
    assert.deepEqual(
      seen.toReversed(),
      Array.from({ length: 15 }, (_, number) => `long-${number}`),
    )
  })
})

describe('writing', () => {
  test('without --write a deposit is refused with the way to allow it, and nothing happens', async () => {
    const account = await world.business.account(await world.business.user('approved'))
    await using reader = await connect()
    const body = { virtualAccountId: account['id'], amount: '100.00' }
    const refused = await reader.call('sandbox', { action: 'simulateDeposit', body })
    assert.ok(refused.isError)
    assert.match(refused.text, /causeway mcp --write/)
    await assert.rejects(
      reader.client.callTool({ name: 'sandbox_write', arguments: { action: 'simulateDeposit', body } }),
    )

    await using writer = await connect(['--write'])
    const made = await writer.call('sandbox_write', { action: 'simulateDeposit', body })
    assert.ok(!made.isError, made.text)
    const { id } = JSON.parse(made.text).data
    await until('the deposit', async () => {
      const { isError, text } = await writer.call('deposits', { action: 'getDeposit', id })
      return !isError && JSON.parse(text).data.status === 'completed'
    })
    const { text } = await writer.call('deposits', { action: 'listDeposits' })
    assert.deepEqual(
      JSON.parse(text).data.map((deposit: { id: string }) => deposit.id),
      [id],
    )
  })
})

describe('failures', () => {
  test('a wrong action, a missing or an unknown name is told with what is right', async () => {
    await using session = await connect()
    for (const [given, says] of [
      [{}, /Unknown action .* listEndUsers, getEndUser/],
      [{ action: 'getEndUser' }, /getEndUser requires externalUserId/],
      [{ action: 'listEndUsers', amount: 1 }, /listEndUsers does not accept amount\. Accepted: limit, cursor/],
    ] as const) {
      const { isError, text } = await session.call('end_users', given)
      assert.ok(isError)
      assert.match(text, says)
    }
  })

  test('a refusal of the API has its code, the request id and what to do', async () => {
    await using session = await connect()
    for (const [given, code] of [
      [{ action: 'getEndUser', externalUserId: 'nobody' }, 'holder_not_found'],
      [{ action: 'listEndUsers', limit: 1_000 }, 'invalid_query'],
    ] as const) {
      const { isError, text } = await session.call('end_users', given)
      const { error } = JSON.parse(text)
      assert.ok(isError)
      assert.equal(error.code, code)
      assert.match(error.requestId, /^req_/)
      assert.match(error.message, /Next: http/)
    }
  })

  test('a server that is away is told, and the session goes on', async () => {
    await using session = await connect([], { CAUSEWAY_URL: 'http://127.0.0.1:1' })
    for (let times = 0; times < 2; times++) {
      const { isError, text } = await session.call('capabilities', { action: 'getCapabilities' })
      assert.ok(isError)
      assert.equal(JSON.parse(text).error.code, 'connection_failed')
    }
  })

  test('a key never reaches an assistant, wherever it stands', async () => {
    const { apiKey } = world.business
    await world.business.call('POST', '/v0/end-users', {
      externalUserId: 'leaky',
      metadata: { note: `${apiKey} whsec_c2VjcmV0` },
    })
    await using session = await connect()
    const { text } = await session.call('end_users', { action: 'getEndUser', externalUserId: 'leaky' })
    assert.match(text, /"note":"\[key\] whsec_…"/)
    const wrong = await connect([], { CAUSEWAY_API_KEY: 'svc_test_wrongwrongwrong' })
    const refused = await wrong.call('api_keys', { action: 'whoAmI' })
    await wrong[Symbol.asyncDispose]()
    assert.ok(refused.isError && !refused.text.includes('svc_test_wrong'), refused.text)
  })

  test('without a key it does not start: 3; with one on standard input, which is not free: 2', async () => {
    const none = await callCli(['mcp'], { HOME: folder, CAUSEWAY_HOME: folder })
    assert.deepEqual([none.code, none.stdout], [3, ''])
    const { code, stderr } = await callCli(['mcp', '--base-url', world.url, '--api-key', '-'], {
      HOME: folder,
    })
    assert.equal(code, 2)
    assert.match(stderr, /CAUSEWAY_API_KEY or a profile/)
  })
})
