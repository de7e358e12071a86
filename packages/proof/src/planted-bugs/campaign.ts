// Every bug in turn: planted in a copy of the tree, the tests run that should catch it, taken out again.

import { changesOf, type PlantedBug } from './planted-bug.ts'
import { runTests, type TestRun } from './test-run.ts'
import { copyTree, type TreeCopy } from './tree-copy.ts'

/** `caughtBy`: the title of the test that failed; null where `reason` says why none can be named. */
export type Verdict = { bug: PlantedBug; caughtBy: string | null; reason: string; seconds: number }

const lanesMax = 2

export type CampaignOptions = {
  root: string
  bugs: readonly PlantedBug[]
  signal: AbortSignal
  say: (line: string) => void
}

/**
 * Runs the test files on the unchanged tree first: a test that fails there, or does not exist, proves nothing. A bug is
 * caught when a test that passed there fails by an assertion.
 * @throws AbortError when the signal comes
 */
export async function runCampaign({ root, bugs, signal, say }: CampaignOptions): Promise<Verdict[]> {
  using stack = new DisposableStack()
  const copies = Array.from({ length: Math.min(lanesMax, bugs.length) }, () => stack.use(copyTree(root)))
  const sound = new Map<string, TestRun>()
  await inLanes(copies, [...testsByFile(bugs)], async (copy, [file, tests]) => {
    const began = performance.now()
    const found = await runTests(copy.root, file, [...tests], signal)
    signal.throwIfAborted()
    sound.set(file, found)
    const failed = [...found.refuted, ...found.broken]
    const outcome = failed.length === 0 ? `${found.passed.size} tests pass` : `fails as it is: ${failed.join('; ')}`
    say(`${file}: ${outcome} (${secondsSince(began)} s)`)
  })
  const verdicts = new Map<PlantedBug, Verdict>()
  await inLanes(copies, bugs, async (copy, bug) => {
    const began = performance.now()
    const found = await tryBug(copy, bug, sound, signal)
    signal.throwIfAborted()
    const verdict = { bug, ...found, seconds: secondsSince(began) }
    verdicts.set(bug, verdict)
    say(`${bug.name}: ${verdict.caughtBy === null ? `NOT CAUGHT, ${verdict.reason}` : 'caught'} (${verdict.seconds} s)`)
  })
  return bugs.flatMap((bug) => verdicts.get(bug) ?? [])
}

/** Of each file the titles that any of the bugs names; none where one of them wants all of its tests. */
function testsByFile(bugs: readonly PlantedBug[]): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>()
  const all = new Set<string>()
  for (const { file, test } of bugs.flatMap(({ caughtBy }) => caughtBy)) {
    const tests = files.get(file) ?? new Set()
    files.set(file, tests)
    if (test === undefined) all.add(file)
    else tests.add(test)
  }
  for (const file of all) files.set(file, new Set())
  return files
}

async function tryBug(
  copy: TreeCopy,
  bug: PlantedBug,
  sound: ReadonlyMap<string, TestRun>,
  signal: AbortSignal,
): Promise<Pick<Verdict, 'caughtBy' | 'reason'>> {
  using _planted = copy.plant(changesOf(bug))
  const reasons: string[] = []
  for (const { file, test } of bug.caughtBy) {
    const before = sound.get(file)
    if (!before || before.refuted.length + before.broken.length > 0) {
      reasons.push(`${file} fails without it`)
      continue
    }
    const found = await runTests(copy.root, file, test === undefined ? [] : [test], signal)
    const caughtBy = found.refuted.find((title) => before.passed.has(title))
    if (caughtBy !== undefined) return { caughtBy, reason: '' }
    const trouble = [...found.refuted, ...found.broken]
    reasons.push(trouble.length > 0 ? `no assertion of ${file} failed, but ${trouble[0]} broke` : `${file} passes`)
  }
  return { caughtBy: null, reason: reasons.join(', ') }
}

/** Each lane takes the next when it is free. */
async function inLanes<Lane, Work>(
  lanes: readonly Lane[],
  work: readonly Work[],
  take: (lane: Lane, work: Work) => Promise<void>,
): Promise<void> {
  const waiting = work.values()
  await Promise.all(
    lanes.map(async (lane) => {
      for (const next of waiting) await take(lane, next)
    }),
  )
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10
}
