// The server as it is released: bundled, packed, and unpacked into an empty folder, where it serves without any other package.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { checkContents, checkNotices } from '../../../scripts/packing/contents.ts'
import { lacking } from '../../../scripts/test-needs.ts'
import { createProviderSigner } from './provider-signer.ts'
import { testDatabase } from './test-database.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
const signer = createProviderSigner()
const folder = await mkdtemp(join(tmpdir(), 'causeway-package-'))
after(() => rm(folder, { recursive: true, force: true }))

before(async () => {
  await run(process.execPath, [join(root, 'scripts/build.js')])
  await run('npm', ['pack', '--silent', join(root, 'packages/server/dist'), '--pack-destination', folder], {
    cwd: root,
  })
  await run('tar', ['-xzf', 'causeway-server-0.1.0.tgz'], { cwd: folder })
})

test('the package has its license and those of all that it contains, a README, a changelog, and no dependencies', () => {
  checkContents(join(folder, 'package'))
  checkNotices(join(folder, 'package'), ['fastify', 'pg', 'undici'])
})

test('the pages have the licenses of all that they contain', {
  skip: lacking('console') || lacking('onboarding'),
}, () => {
  checkNotices(join(folder, 'package/lib/console'), ['react', 'tailwindcss', '@tanstack/react-query'])
  checkNotices(join(folder, 'package/lib/onboarding'), ['react', 'lean-qr'])
})

test('causeway-server --version prints the version', async () => {
  const { stdout } = await run(process.execPath, ['package/bin/causeway-server.js', '--version'], { cwd: folder })
  assert.equal(stdout, '0.1.0\n')
})

test('the packed server answers from an empty folder, with its schema, its document and its worker', async (t) => {
  const database = await testDatabase()
  const { host, port, username, password, database: name } = database.connection
  const child = spawn(process.execPath, ['package/bin/causeway-server.js'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      // The driver reads from these what a URL does not say, a socket directory among it.
      DATABASE_URL: `postgres:///${name}`,
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: username,
      PGPASSWORD: password,
      PORT: '0',
      LOG_LEVEL: 'warn',
      PROVIDER_API_KEY: 'unused',
      ADMIN_SECRET: 'operator-secret-of-the-package-test',
      DEPLOYMENT_SECRET: 'Qm7vX2kL9pR4tW8zB3nH6jD1fG5sA0yC',
      PROVIDER_WEBHOOK_PUBLIC_KEYS: signer.publicKey,
      RECONCILE_PERIOD_SECONDS: '0',
    },
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    await database.drop()
  })
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    url = /listens on (\S+)/.exec(line)?.[1] ?? ''
    if (url !== '') break
  }
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  assert.equal((await fetch(`${url}/v0/openapi.json`)).status, 200)
  // A worker verifies the signature, from a separate file of the package.
  const response = await fetch(`${url}/v0/webhooks/provider`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-signature': signer.sign('{}') },
    body: '{}',
  })
  assert.equal(response.status, 400, await response.text())
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
