// `npm run proof:image`: the Dockerfile is built by Buildah, and what it made migrates, serves, is found healthy and stops, as the
// image's user and with PostgreSQL elsewhere. Ends with one line of JSON; exit code 1 when a part of that failed.

import { startDebianPostgres } from '../rig/databases/debian.ts'
import { readOptions } from '../rig/options.ts'
import { freePort } from '../rig/ports.ts'
import { endOnSignals, runProof, untilProgram } from '../rig/programs.ts'
import { type Container, openContainer } from './container.ts'
import { type BuiltImage, buildImage } from './workshop.ts'

const script = 'proof:image'
readOptions(script, 'Builds the image, and starts what is in it.', {})

const providerKey = 'sk-test-image-sandbox'
const pages = [
  ...['/healthz', '/readyz', '/metrics', '/v0/openapi.json', '/docs/', '/docs/run/alerts/', '/console'],
  `/onboard/onboarding_link_${'0'.repeat(26)}`,
]
const faults: string[] = []

await runProof(script, async () => {
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const postgres = stack.use(await startDebianPostgres())
  const image = await buildImage(stack, (line) => console.log(line))
  console.log(`built in ${image.buildSeconds} s; starts ${image.config.Entrypoint.join(' ')} as ${image.config.User}`)
  const [port, providerPort] = [await freePort(), await freePort()]
  const container = openContainer(image, {
    DATABASE_URL: postgres.url,
    DEPLOYMENT_SECRET: 'a deployment secret of some length',
    ADMIN_SECRET: 'an operator secret of some length',
    PROVIDER_KIND: 'sandbox',
    PROVIDER_URL: `http://127.0.0.1:${providerPort}/v0`,
    PROVIDER_API_KEY: providerKey,
    HOST: '127.0.0.1',
    PORT: String(port),
  })
  const writable = (await container.run(['find', '.', '-writable', '!', '-type', 'l'])).trim()
  if (writable !== '') faults.push(`the user may write ${writable.slice(0, 200)}`)
  const served = await serve(stack, container, image, port, providerPort)
  for (const fault of faults) console.error(`${script}: ${fault}`)
  const { base, buildSeconds, megabytes, megabytesOfBase } = image
  const figures = { base, buildSeconds, megabytes, megabytesOfBase, ...served }
  console.log(JSON.stringify({ proof: 'image', ...figures, faults: faults.length }))
  if (faults.length > 0) process.exitCode = 1
})

/** Migrates, starts the emulated provider and the service, asks for pages, and stops the service by the image's signal. */
async function serve(
  stack: AsyncDisposableStack,
  container: Container,
  { config }: BuiltImage,
  port: number,
  providerPort: number,
) {
  await container.run([...config.Entrypoint, 'migrate'])
  const providerArgs = ['--host', '127.0.0.1', '--port', String(providerPort), '--api-key', providerKey]
  const provider = stack.use(container.start(['node', 'lib/sandbox.js', ...providerArgs]))
  await untilProgram('was ready', provider, async () => provider.log().includes('"ready":true'))
  const began = performance.now()
  const service = stack.use(container.start([...config.Entrypoint, ...config.Cmd]))
  await untilProgram('listened', service, async () => service.log().includes('listens on'))
  const startMs = Math.round(performance.now() - began)
  const answered: Record<string, number> = {}
  for (const path of pages) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html, */*' } })
    await response.arrayBuffer()
    answered[path] = response.status
    if (response.status !== 200) faults.push(`${path} answered ${response.status}`)
  }
  const [, ...health] = config.Healthcheck.Test
  await container.run(health)
  service.signal(config.StopSignal as NodeJS.Signals)
  const exitCode = await service.ended
  if (exitCode !== 0) faults.push(`ended with ${exitCode}:\n${service.log()}`)
  return { startMs, answered, health: 'ok', exitCode }
}
