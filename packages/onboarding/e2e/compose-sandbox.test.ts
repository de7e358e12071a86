// The sandbox of deploy/compose.yml, started by the command in the file: Causeway calls it inside the network of the
// containers, and a browser outside reaches its pages only at the published port.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { lacking } from '../../../scripts/test-needs.ts'
import { startSandboxProcess } from '../../cli/src/world/sandbox-process.ts'
import { callerOf, dataOf, freePort } from '../../server/test/caller.ts'
import { acceptInFrame } from './driver.ts'
import { button, desk, heading, type OnboardingWorld, onboardingWorld } from './onboarding-world.ts'

const read = (path: string) => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8')
const { services } = parse(read('compose.yml'))

/** The settings of `example.env` under "With --profile sandbox". */
const profile = Object.fromEntries(
  [...read('example.env').matchAll(/^# +([A-Z_]+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]),
)

/** The command of the sandbox's container, with these variables in place of their defaults. */
const commandWith = (variables: Record<string, string>): string[] =>
  services.sandbox.command
    .map((flag: string) =>
      flag.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, byDefault: string) => variables[name] ?? byDefault),
    )
    .filter((flag: string) => !flag.startsWith('--port='))

/** Forwards a port to the sandbox, as compose does with a published port. */
async function publish(port: number) {
  const server = createServer((outside) => {
    const inside = connect(port, '127.0.0.1')
    outside.pipe(inside).pipe(outside)
    outside.on('error', () => inside.destroy())
    inside.on('error', () => outside.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, stop: () => server.close() }
}

test('the addresses of the profile agree, and no two services publish one port', () => {
  const publishedAt = 'http://localhost:8082'
  assert.deepEqual([profile['TOS_ORIGIN'], profile['SANDBOX_URL']], [publishedAt, publishedAt])
  assert.ok(commandWith({}).includes(`--url=${publishedAt}`))
  assert.ok(commandWith({}).includes(`--embed-origins=${profile['PUBLIC_URL']}`))
  assert.deepEqual(services.api.ports, ['127.0.0.1:8080-8081:8080'])
  assert.deepEqual(services.sandbox.ports, ['127.0.0.1:8082:8081'])
  assert.equal(profile['PROVIDER_URL'], 'http://sandbox:8081/v0')
  assert.ok(commandWith({}).includes(`--api-key=${profile['PROVIDER_API_KEY']}`))
})

describe('a browser outside of the containers', { skip: lacking('browser') || lacking('onboarding') }, () => {
  let world: OnboardingWorld
  before(async () => (world = await onboardingWorld()))
  after(() => world.stop())

  test('accepts the terms at the published port', async () => {
    const [innerPort, port] = [await freePort(), await freePort()]
    await using stack = new AsyncDisposableStack()
    const published = stack.adopt(await publish(innerPort), ({ stop }) => void stop())
    const variables = { SANDBOX_URL: published.origin, SANDBOX_EMBED_ORIGINS: `http://127.0.0.1:${port}` }
    const args = commandWith(variables)
    const sandbox = stack.adopt(await startSandboxProcess({ port: innerPort, args }), ({ stop }) => stop())
    const config = {
      port,
      providerUrl: `http://127.0.0.1:${innerPort}/v0`,
      providerApiKey: sandbox.apiKey,
      tosOrigin: published.origin,
    }
    const api = stack.use(await world.world.replica({ config }))

    const { call } = callerOf(api.url, world.world.business.apiKey)
    dataOf(await call('POST', '/v0/end-users', { externalUserId: 'ada', type: 'individual', email: 'ada@example.com' }))
    const link = dataOf(await call('POST', '/v0/end-users/ada/onboarding-links', {}))
    const page = await world.open(new URL(new URL(link.url).pathname + new URL(link.url).hash, api.url).href, desk)
    await page.route(`http://*:${innerPort}/**`, (route) => route.abort())
    await button(page, 'Begin').click()
    await acceptInFrame(page)
    assert.notEqual(await heading(page), 'Accept the terms')
    const allowed = [published.origin, api.url]
    assert.deepEqual(
      page.faults.filter((fault) => !allowed.some((origin) => fault.startsWith(`asked ${origin}`))),
      [],
    )
  })
})
