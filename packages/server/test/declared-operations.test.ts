// Every route is an operation that is declared in the folder of its subject, or states why it is none.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allOperations } from '../src/app/operations.ts'
import { isDescribed } from '../src/platform/http/operation.ts'
import { operations } from './caller.ts'
import { edgeServer } from './http/edge-server.ts'

/** Why a route is no operation, by the beginning of its path. */
const reasons: Readonly<Record<string, string>> = {
  '/healthz': 'a probe of the machine, outside of /v0',
  '/readyz': 'a probe of the machine, outside of /v0',
  '/metrics': 'the format of Prometheus',
  '/.well-known/jwks.json': 'the format of RFC 7517',
  '/docs': 'files of the documentation, and the pages of errors',
  '/llms.txt': 'a file of the documentation',
  '/openapi.json': 'the description of the operations',
  '/v0/openapi.json': 'the description of the operations',
  '/console': 'files of the console, and its session, which is a cookie',
  '/onboard/': 'files of the onboarding page',
}
const isExcused = (path: string): boolean =>
  path === '/' || Object.keys(reasons).some((start) => path.startsWith(start))

const nameOf = ({ address }: { address: string }) => address.replace(/:(\w+)/g, '{$1}')

const served: string[] = []
const edge = await edgeServer({
  env: { PROVIDER_KIND: 'sandbox' },
  routes: (app) =>
    void app.addHook('onRoute', ({ method, url }) => {
      if (method !== 'HEAD') served.push(`${method} ${url}`)
    }),
})
after(() => edge.stop())

test('each route is a declared operation, or says why it is none', () => {
  const declared = new Set<string>(allOperations.map(({ address }) => address))
  const others = served.filter((route) => !declared.has(route))
  assert.deepEqual(
    others.filter((route) => !isExcused(route.split(' ')[1] ?? '')),
    [],
  )
  const isServed = (start: string) => others.some((route) => route.split(' ')[1]?.startsWith(start))
  assert.deepEqual(
    Object.keys(reasons).filter((start) => !isServed(start)),
    [],
    'no reason is left without a route',
  )
})

test('each declared operation is served', () => {
  const routes = new Set(served)
  const missing = allOperations.filter(
    ({ address, when }) => (when?.(edge.deps.config) ?? true) && !routes.has(address),
  )
  assert.deepEqual(
    missing.map(({ id }) => id),
    [],
  )
})

test('each declared operation is described under its id, method and path', () => {
  const described = new Map(operations.map(({ id, method, path }) => [id, `${method} ${path}`]))
  for (const operation of allOperations.filter(isDescribed))
    assert.equal(described.get(operation.id), nameOf(operation), operation.id)
})

test('each described operation is declared', () => {
  const declared = new Set(allOperations.map(({ id }) => id))
  const undescribed = operations.map(({ id }) => id).filter((id) => !declared.has(id))
  assert.deepEqual(undescribed, [])
})
