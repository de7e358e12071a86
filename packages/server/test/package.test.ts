// The server as it is released: bundled, packed, and unpacked into an empty folder, where it serves without any other package.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { createProviderSigner } from './provider-signer.ts'
import { testDatabase } from './test-database.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
const signer = createProviderSigner()
const folder = await mkdtemp(join(tmpdir(), 'causeway-package-'))
after(() => rm(folder, { recursive: true, force: true }))

test('the packed server answers from an empty folder, with its schema, its document and its worker', async (t) => {
  const database = await testDatabase()
  await run(process.execPath, [join(root, 'scripts/build.js')])
  await run('npm', ['pack', '--silent', '--workspace', '@causeway/server', '--pack-destination', folder], { cwd: root })
  await run('tar', ['-xzf', 'causeway-server-0.1.0.tgz'], { cwd: folder })

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
  // A signature is checked by the worker, which is a file of its own in the package.
  const response = await fetch(`${url}/v0/webhooks/provider`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-signature': signer.sign('{}') },
    body: '{}',
  })
  assert.equal(response.status, 400, await response.text())
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
