// A test that is named after a status fails when the operation of its file does not respond with that status.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

const runner = fileURLToPath(new URL('../../../scripts/test.js', import.meta.url))
const folder = 'packages/server/test/http'

const whoAmI = `
  import { once } from 'node:events'
  import { createServer } from 'node:http'
  import { after, before, describe, test } from 'node:test'

  const server = createServer((request, response) => {
    response.statusCode = Number(new URL(request.url, 'http://server').searchParams.get('status'))
    response.end()
  })
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'))
  after(() => server.close())

  const send = async (status, { method = 'GET', path = '/v0/whoami', headers = {} } = {}) => {
    const url = \`http://127.0.0.1:\${server.address().port}\${path}?status=\${status}\`
    await (await fetch(url, { method, headers })).text()
  }

  test('401 true: sent', () => send(401))
  test('401 and 429, then 200 true: all sent', async () => {
    for (const status of [401, 429, 200]) await send(status)
  })
  test('true: without a status', () => {})
  test('1000 requests, true: a number that is no status', () => {})

  test('404 untrue: empty', () => {})
  test('401 untrue: only an earlier test sent it', () => send(200))
  test('401 and 429 untrue: one of two', () => send(401))
  test('401 untrue: to another path', () => send(401, { path: '/v0/events' }))
  test('401 untrue: to another method', () => send(401, { method: 'DELETE' }))
  test('401 untrue: by the emulator', () => send(401, { headers: { 'api-key': 'key' } }))

  test('429 true: by a test within', async (context) => {
    await context.test('429 true: within', () => send(429))
    await context.test('403 true: within', () => send(403))
  })
  test('outer', async (context) => {
    await context.test('429 untrue: within', () => {})
  })

  const meeting = Promise.withResolvers()
  describe('concurrent', { concurrency: true }, () => {
    test('500 true: sent while others run', async () => {
      await meeting.promise
      await send(500)
    })
    test('503 untrue: others send something else', () => meeting.promise)
    test('403 true: is not failed by the others', async () => {
      await send(403)
      meeting.resolve()
    })
  })

  test('200 untrue: what is left open is closed', async (context) => {
    const open = createServer().listen(0, '127.0.0.1')
    context.after(() => open.close())
  })
`

const everyOperation = `
  import { once } from 'node:events'
  import { createServer } from 'node:http'
  import { test } from 'node:test'

  const send404 = async () => {
    const server = createServer((request, response) => response.writeHead(404).end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    await (await fetch(\`http://127.0.0.1:\${server.address().port}/no/operation\`)).text()
    server.close()
  }

  test('404 whoAmI: untrue, another path sent it', send404)
  test('404 true: no operation is named', send404)
  test('404 untrue: no operation is named, empty', () => {})
`

const elsewhere = `
  import { test } from 'node:test'
  test('404 outside of the folder', () => {})
`

/**
 * Runs files as `npm test` does, and lists the names of tests by how they ended.
 * @param directory for temporary files: a run removes what dead runs left in it
 */
async function outcomes(directory: string, files: readonly string[]): Promise<{ passed: string[]; failed: string[] }> {
  const { NODE_TEST_CONTEXT: _ours, ...inherited } = process.env
  const env = { ...inherited, TMPDIR: directory, TEST_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }
  const { promise, resolve } = Promise.withResolvers<string>()
  execFile(process.execPath, [runner, ...files], { env }, (_error, stdout) => resolve(stdout))
  const [output = ''] = (await promise).split('✖ failing tests:')
  const namesOf = (mark: string) =>
    [...output.matchAll(new RegExp(`^ *${mark} (.*) \\([\\d.]+ms\\)$`, 'gm'))].map(([, name = '']) => name)
  return { passed: namesOf('✔'), failed: namesOf('✖') }
}

test('a name that claims a status which was not sent fails the test', { timeout: 60_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-statuses-'))
  try {
    await mkdir(join(directory, folder), { recursive: true })
    const write = async (name: string, text: string) => {
      await writeFile(join(directory, name), text)
      return join(directory, name)
    }
    const files = [
      await write(`${folder}/who-am-i.test.ts`, whoAmI),
      await write(`${folder}/every-operation.test.ts`, everyOperation),
      await write('elsewhere.test.ts', elsewhere),
    ]
    const containers = ['outer', 'concurrent']
    const isUntrue = (name: string) => /\buntrue\b/.test(name) || containers.includes(name)
    const alone = await outcomes(directory, files)
    assert.deepEqual(alone.passed.filter(isUntrue), [])
    assert.deepEqual(
      alone.failed.filter((name) => !isUntrue(name)),
      [],
    )
    assert.equal(alone.failed.length, 13)
    assert.equal(alone.passed.length, 11)

    const imports = files.map((file) => `test('${file}', () => import('${pathToFileURL(file)}'))`)
    const group = await write('group.mjs', ["import { test } from 'node:test'", ...imports].join('\n'))
    const grouped = await outcomes(directory, [group])
    const tests = (names: readonly string[]) => names.filter((name) => !files.includes(name)).sort()
    assert.deepEqual(tests(grouped.failed), tests(alone.failed))
    assert.deepEqual(tests(grouped.passed), tests(alone.passed))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
