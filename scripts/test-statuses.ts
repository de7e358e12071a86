// Checks the names of tests in packages/server/test/http: a test named "404 …" fails unless a server in this process responded
// with 404 while the test ran, and to the operation that the file or the name is about. Responses to concurrent tests count
// too. A server in another process is not seen.

import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, type TestContext } from 'node:test'

type Sent = { method: string; path: string; status: number }

const sentDuring = new Map<object, Sent[]>()

// Node also loads this module into the process of the test runner, which runs no tests.
if (process.env['NODE_TEST_CONTEXT']) {
  subscribe('http.server.response.finish', note)
  beforeEach((context) => {
    if (/^\d{3}\b/.test(context.name) && fileOf(context as TestContext)) sentDuring.set(context, [])
  })
  afterEach((context) => judge(context as TestContext))
}

function note(message: unknown): void {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  const { method = '', url: path = '', headers } = request
  // The emulator has some of the same paths. Every request to it carries the key of the provider.
  if ('api-key' in headers) return
  for (const sent of sentDuring.values()) sent.push({ method, path, status: response.statusCode })
}

async function judge(context: TestContext): Promise<void> {
  const sent = sentDuring.get(context)
  sentDuring.delete(context)
  if (!sent) return
  const { isFor } = await import('../packages/server/test/caller.ts')
  const { operationOf, statusesOfName } = await import('../packages/server/test/http/test-names.ts')
  const operation = operationOf(fileOf(context) ?? '', context.name)
  const own = sent.filter(({ method, path }) => !operation || isFor(operation, method, path))
  const missing = statusesOfName(context.name).filter((status) => !own.some((one) => one.status === status))
  if (missing.length === 0) return
  const problem = `The name claims ${missing.join(' and ')}, which ${operation?.id ?? 'the server'} did not send during this test`
  // Concurrent tests share the hook `afterEach`: an error in it can fail another test. This hook belongs to the one test.
  context.after(() => assert.fail(problem))
}

/** Names the file of a test. One process may run several files, each inside a test that is named after its path. */
function fileOf({ fullName, filePath }: TestContext): string | undefined {
  const inFolder = /packages\/server\/test\/http\/([\w.-]+\.test\.ts)/
  return (inFolder.exec(fullName) ?? inFolder.exec(filePath ?? ''))?.[1]
}
