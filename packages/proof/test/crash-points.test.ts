// The crash-point run, tried on small pieces: every await is found, every operation has its story, and a bug that loses an
// event is caught at the points where it loses it, as is a frozen holder that does its work a second time.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runCrashPoints } from '../src/crash-points/campaign.ts'
import { instrument } from '../src/crash-points/instrument.ts'
import { allStories } from '../src/crash-points/stories/all.ts'

test('every await is wrapped where it stands, inner ones within outer ones, and types are gone', () => {
  const source = [
    'export async function f(a: Promise<() => Promise<number>>): Promise<number> {',
    '  const x = await (await a)()',
    '  for await (const y of g(x)) await y',
    '  return await (x || await h())',
    '}',
  ].join('\n')
  const lines = instrument(source, 'services/f.ts').split('\n')
  assert.equal(
    lines[1]?.trim(),
    'const x = await __crash.at((await __crash.at(a, "services/f.ts:2+2"))(), "services/f.ts:2")',
  )
  assert.match(
    lines[2] ?? '',
    /of __crash\.each\(g\(x\), "services\/f\.ts:3"\)\) await __crash\.at\(y, "services\/f\.ts:3\+2"\)/,
  )
  assert.equal(
    lines[3]?.trim(),
    'return await (__crash.at(x || await __crash.at(h(), "services/f.ts:4+2"), "services/f.ts:4"))',
  )
})

test('a loop that can no longer be told apart is said, not passed over', () => {
  assert.throws(() => instrument('export const x = 1', 'platform/loop.ts'), /no longer has/)
})

test('every operation that writes has a story, and no two stories have one name', () => {
  const names = allStories().map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
})

const groupCommit = 'events/ingest/group-commit.ts'
const lineOf = (file: string, text: string): number =>
  readFileSync(new URL(`../../server/src/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1

// That nothing is lost without the bug is what the whole run shows, every night.
test('an acknowledgement before the commit is caught where it loses the event, and not where the caller repeats', async () => {
  const early = {
    file: 'events/ingest/ingest.ts',
    old: 'const outcome = await deps.groupCommit.commit(',
    // Not before the response is sent: the server is killed as soon as the commit reaches the point.
    new: "const outcome = 'queued'\n  setImmediate((...of) => deps.groupCommit.commit(...of), ",
  }
  const { reports } = await runCrashPoints({
    path: 'receive-event',
    // Which of two points that nothing outside can tell apart counts is a matter of moments: this one is named.
    every: true,
    point: `${groupCommit}:${lineOf(groupCommit, 'await commitBatch(')} called`,
    seed: 1,
    lanes: 1,
    planted: [early],
  })
  const faultsWhen = (caller: 'goes' | 'repeats') =>
    reports.filter(({ death }) => death.caller === caller).flatMap(({ faults }) => faults)
  // Nothing can have been committed: the batch is at its beginning.
  assert.ok(faultsWhen('goes').includes('200 was answered, and nothing happened'), faultsWhen('goes').join('\n'))
  assert.equal(reports.length, 2)
  assert.deepEqual(faultsWhen('repeats'), [])
})

test('a holder that commits after a second one has finished is caught when it is frozen', async () => {
  const edge = 'platform/http/idempotency/edge.ts'
  const withoutFence = {
    file: 'platform/postgres/leases.ts',
    old: 'select 1 / count(*) from held',
    new: 'select count(*) from held',
  }
  const { reports } = await runCrashPoints({
    freeze: true,
    path: 'issue-api-key',
    every: true,
    point: `${edge}:${lineOf(edge, 'await reserve(')} answered`,
    seed: 1,
    lanes: 1,
    planted: [withoutFence],
  })
  assert.equal(reports.length, 1)
  const faults = reports.flatMap((report) => report.faults).join('\n')
  assert.match(faults, /there are 2 keys, not 1/)
  assert.match(faults, /the thawed holder was answered with 200/)
})
