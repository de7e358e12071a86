// Every bug in turn: planted in a copy of the tree, the tests run that should catch it, taken out again.

import { changesOf, type PlantedBug, type TestedBug } from './planted-bug.ts'
import { runTests, type TestRun } from './test-run.ts'
import { type Tree, testFilesOf } from './tree.ts'
import { copyTree, type TreeCopy } from './tree-copy.ts'

/** `caughtBy`: the title of the test that failed, or the fault that a proof found; null where `reason` says why there is none. */
export type Verdict = { bug: PlantedBug; caughtBy: string | null; reason: string; seconds: number }

const lanesMax = 2

export type CampaignOptions<Bug> = {
  root: string
  tree: Tree
  bugs: readonly Bug[]
  signal: AbortSignal
  say: (line: string) => void
}

/**
 * Runs the test files on the unchanged tree first: a test that fails there, or does not exist, proves nothing. A bug is
 * caught when a test that passed there fails by an assertion.
 * @throws AbortError when the signal comes
 */
export async function runCampaign(options: CampaignOptions<TestedBug>): Promise<Verdict[]> {
  const { root, tree, bugs, signal, say } = options
  using stack = new DisposableStack()
  const copies = Array.from({ length: Math.min(lanesMax, bugs.length) }, () => stack.use(copyTree(root, tree)))
  const sound = new Map<string, TestRun>()
  await inLanes(copies, testsByFile(bugs, tree).entries(), async (copy, [file, tests]) => {
    const began = performance.now()
    const found = await runTests(copy.root, file, [...tests], signal)
    signal.throwIfAborted()
    sound.set(file, found)
    const failed = [...found.refuted, ...found.broken]
    const outcome = failed.length === 0 ? `${found.passed.size} tests pass` : `fails as it is: ${failed.join('; ')}`
    say(`${file}: ${outcome} (${secondsSince(began)} s)`)
  })
  const verdicts = new Map<PlantedBug, Verdict>()
  await inLanes(copies, bugs.values(), async (copy, bug) => {
    const began = performance.now()
    const found = await tryBug(copy, bug, { tree, sound, signal })
    signal.throwIfAborted()
    const verdict = { bug, ...found, seconds: secondsSince(began) }
    verdicts.set(bug, verdict)
    say(lineOf(verdict))
  })
  return bugs.flatMap((bug) => verdicts.get(bug) ?? [])
}

export function lineOf({ bug, caughtBy, reason, seconds }: Verdict): string {
  return `${bug.name}: ${caughtBy === null ? `NOT CAUGHT, ${reason}` : 'caught'} (${seconds} s)`
}

export function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10
}

/** @returns for each test file the titles that any of the bugs names */
function testsByFile(bugs: readonly TestedBug[], tree: Tree): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>()
  for (const title of bugs.flatMap(({ caughtBy }) => caughtBy)) {
    const file = testFileOf(title, tree)
    const tests = files.get(file) ?? new Set()
    files.set(file, tests.add(title))
  }
  return files
}

function testFileOf(title: string, tree: Tree): string {
  const [file, ...more] = testFilesOf(title, tree)
  if (file === undefined || more.length > 0) throw new Error(`"${title}" is not in exactly one test file`)
  return file
}

type Trial = { tree: Tree; sound: ReadonlyMap<string, TestRun>; signal: AbortSignal }

async function tryBug(
  copy: TreeCopy,
  bug: TestedBug,
  { tree, sound, signal }: Trial,
): Promise<Pick<Verdict, 'caughtBy' | 'reason'>> {
  using _planted = copy.plant(changesOf(bug))
  const reasons: string[] = []
  for (const title of bug.caughtBy) {
    const file = testFileOf(title, tree)
    const before = sound.get(file)
    if (!before || before.refuted.length + before.broken.length > 0) {
      reasons.push(`${file} fails without it`)
      continue
    }
    const found = await runTests(copy.root, file, [title], signal)
    const caughtBy = found.refuted.find((one) => before.passed.has(one))
    if (caughtBy !== undefined) return { caughtBy, reason: '' }
    const trouble = [...found.refuted, ...found.broken]
    reasons.push(trouble.length > 0 ? `no assertion of ${file} failed, but ${trouble[0]} broke` : `${file} passes`)
  }
  return { caughtBy: null, reason: reasons.join(', ') }
}

/** Each lane takes the next when it is free. */
export async function inLanes<Lane, Work>(
  lanes: readonly Lane[],
  work: IterableIterator<Work>,
  take: (lane: Lane, work: Work) => Promise<void>,
): Promise<void> {
  await Promise.all(
    lanes.map(async (lane) => {
      for (const next of work) await take(lane, next)
    }),
  )
}
