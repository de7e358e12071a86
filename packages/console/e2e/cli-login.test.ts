// `causeway login --browser` with its page: the command line in this process, the page in a real browser.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { beginCli } from '../../cli/test/process.ts'
import { type ConsolePage, type ConsoleWorld, consoleWorld } from './console-world.ts'

describe('signing a terminal in', { skip: lacking('browser') || lacking('console') }, () => {
  let console: ConsoleWorld
  let folder: string
  before(async () => {
    console = await consoleWorld()
  })
  after(() => console.stop())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-cli-login-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function begin() {
    const env = { HOME: folder, CAUSEWAY_HOME: join(folder, 'none'), BROWSER: 'none' }
    const cli = beginCli(['login', '--browser', '--base-url', console.world.url, '--json'], env)
    await cli.says('cli-login?')
    const { stderr } = cli.output()
    const path = /\/console(\/cli-login\?.*)$/m.exec(stderr)?.[1] ?? ''
    return { cli, path, code: /[0-9A-F]{4}-[0-9A-F]{4}/.exec(stderr)?.[0] ?? '' }
  }

  const keys = async (): Promise<{ id: string; name: string; scopes: string[] }[]> =>
    (await console.world.business.call('GET', '/v0/api-keys')).body.data

  /** The way to the terminal on this computer and back is the one request to another origin. */
  const assertCleanBut = (page: ConsolePage) =>
    assert.deepEqual(
      page.faults.filter((fault) => !fault.startsWith('asked http://127.0.0.1:')),
      [],
    )

  test('the code of the terminal is confirmed, and it gets a key that may do what was ticked', async () => {
    const { cli, path, code } = await begin()
    const page = await console.open(path)
    await page.getByText(code, { exact: true }).waitFor()
    await page.getByLabel('api_keys:write').uncheck()
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.getByRole('heading', { name: 'Command line authorized' }).waitFor()
    const ended = await cli.ended
    assert.equal(ended.code, 0, ended.stderr)
    const { profiles } = JSON.parse(await readFile(join(folder, '.config/causeway/profiles.json'), 'utf8'))
    const { apiKey } = profiles.default
    const { status, body } = await console.world.business.call('GET', '/v0/whoami', undefined, { key: apiKey })
    assert.equal(status, 200)
    assert.ok(!body.data.scopes.includes('api_keys:write') && body.data.scopes.includes('events:read'))
    assert.ok((await keys()).some(({ name }) => name.startsWith('Command line on ')))
    assert.ok(!(await page.content()).includes(apiKey))
    assertCleanBut(page)
  })

  test('a refusal issues no key and ends the command', async () => {
    const ids = async () => (await keys()).map(({ id }) => id)
    const before = await ids()
    const { cli, path } = await begin()
    const page = await console.open(path)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Sign-in refused' }).waitFor()
    assert.equal((await cli.ended).code, 3)
    assert.deepEqual(await ids(), before)
    assertCleanBut(page)
  })

  test('an address that no command made, or that leads elsewhere, offers nothing to confirm', async () => {
    const { cli, path } = await begin()
    for (const wrong of [
      '/cli-login',
      path.replace(/port=\d+/, 'port=80'),
      path.replace(/port=\d+/, 'port=1%40evil.example.com'),
      path.replace(/state=\w+/, 'state=cli_1'),
    ]) {
      const page = await console.open(wrong)
      await page.getByText('No sign-in request found').waitFor()
      assert.equal(await page.getByRole('button', { name: 'sign in' }).count(), 0)
      page.assertClean()
    }
    cli.interrupt()
    await cli.ended
  })
})
