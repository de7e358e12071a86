// A worker: a global scope with the standards of the web and nothing of Node, in which the bundled verifier runs.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createContext, Script } from 'node:vm'

const code = await readFile('bundles/worker.js', 'utf8')
const scope = {
  crypto,
  TextEncoder,
  TextDecoder,
  URL,
  URLSearchParams,
  atob,
  btoa,
  Headers,
  Response,
  fetch,
  AbortSignal,
}
const context = createContext({ ...scope, setTimeout, clearTimeout, done: null })
new Script(code).runInContext(context)
assert.equal(await context.done, 'end_user.created')
