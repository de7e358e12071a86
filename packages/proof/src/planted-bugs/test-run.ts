// Runs one test file with Node's runner, in a separate process, and reports the result of each test.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { EventData } from 'node:test'
import { run } from 'node:test'
import { promisify } from 'node:util'
import { processEnvironment } from '../../../server/src/platform/settings.ts'
import { scratchFolder } from './tree-copy.ts'

/** By full title, the titles of the suites before it. */
export type TestRun = {
  passed: ReadonlySet<string>
  /** Failed by an assertion: the promise does not hold. */
  refuted: readonly string[]
  /** Failed in any other way, which proves nothing: not loaded, out of time, an error in passing. */
  broken: readonly string[]
}

// A test waits up to 30 s for a condition, and a bug may make several wait.
const fileMsMax = 180_000
// A failed test may leave handles open: its process gets this long to end.
const endMsMax = 5_000

/** @param tests only tests with one of these in their title, as planted-bug.ts describes; all if there is none */
export async function runTests(
  root: string,
  file: string,
  tests: readonly string[],
  signal: AbortSignal,
): Promise<TestRun> {
  const pages = /^packages\/(console|onboarding)\/e2e\//.exec(file)?.[1]
  if (pages !== undefined && !(await arePagesBuilt(root, pages, signal)))
    return { passed: new Set(), refuted: [], broken: [`the build of the pages of ${pages}`] }
  const passed = new Set<string>()
  const refuted: string[] = []
  const broken: string[] = []
  const titles: string[] = []
  const titleOf = ({ nesting }: { nesting: number }) => titles.slice(0, nesting + 1).join(' > ')
  const ended = new AbortController()
  const tooLate = setTimeout(() => ended.abort(), fileMsMax)
  let end: NodeJS.Timeout | undefined
  const events = run({
    cwd: root,
    files: [join(root, file)],
    concurrency: 1,
    env: { ...processEnvironment(), TMPDIR: join(root, scratchFolder) },
    signal: AbortSignal.any([signal, ended.signal]),
    ...(tests.length > 0 ? { testNamePatterns: tests.map(patternOf) } : {}),
  })
  for await (const { type, data } of events) {
    if (type === 'test:start') titles.splice(data.nesting, titles.length, data.name)
    if (type === 'test:pass' && data.skip === undefined && data.todo === undefined) passed.add(titleOf(data))
    if (type !== 'test:fail' || failureTypeOf(data) === 'subtestsFailed') continue
    if (isAssertion(data)) {
      refuted.push(titleOf(data))
      end ??= setTimeout(() => ended.abort(), endMsMax)
    } else broken.push(titleOf(data))
  }
  clearTimeout(tooLate)
  clearTimeout(end)
  return { passed, refuted, broken }
}

/** A browser sees what was built. */
async function arePagesBuilt(root: string, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await promisify(execFile)(process.execPath, ['scripts/build-pages.js', name], { cwd: root, signal })
    return true
  } catch {
    signal.throwIfAborted()
    return false
  }
}

/** Node matches the titles of the suites and of the test, with spaces in between. */
const patternOf = (title: string): RegExp =>
  new RegExp(
    title
      .split(/\$\{[^}]*\}| > /)
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*'),
  )

type Failure = EventData.TestFail

function failureTypeOf({ details }: Failure): unknown {
  return (details.error as { failureType?: unknown }).failureType
}

function isAssertion(failure: Failure): boolean {
  if (failureTypeOf(failure) !== 'testCodeFailure') return false
  let error: unknown = failure.details.error.cause
  // A property's failure has the assertion as its cause.
  for (let depth = 0; depth < 5 && typeof error === 'object' && error !== null; depth++) {
    const { code, cause } = error as { code?: unknown; cause?: unknown }
    if (code === 'ERR_ASSERTION') return true
    error = cause
  }
  return false
}
