// Which files of the tests share a process. Most of the cost of a small file is a process, its modules and a world: neighbours
// of one package run in one process, one file after the other, each as a test that holds the tests of the file.
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '..')
/** By the folder of the files: a process takes 1.5 s of CPU before its first test, and unit tests are quick. */
const filesPerProcess = { src: 32, test: 24, 'test/http': 16, e2e: 7 }

/** Files with a process of their own: the longest, which mostly wait, and those that change or measure their process. */
const alone = [
  'packages/server/test/slow-clients.test.ts',
  'packages/server/test/lock-order.test.ts',
  'packages/server/test/event-order.test.ts',
  'packages/server/test/relay-after-crash.test.ts',
  'packages/server/test/relay-snapshot.test.ts',
  'packages/server/test/relay-growth.test.ts',
  'packages/server/test/http/edge-body.test.ts',
  'packages/server/test/http/edge-turns.test.ts',
  'packages/server/test/isolation.test.ts',
  'packages/server/test/log-reader.test.ts',
  'packages/server/test/relay-idle.test.ts',
]

/** Part of `npm run check`. */
const checked = ['packages/server/test/tidy.test.ts']

/**
 * Writes a file for each process that is to run.
 * @param seed shuffles the processes and the files within them; null mixes the kinds
 * @returns their paths, in the order in which they begin
 * @throws Error when a file that has a process of its own does not exist
 */
export function writeGroups(directory, seed = null) {
  const files = globSync('packages/*/{src,test,e2e}/**/*.test.ts', { cwd: root }).sort()
  const missing = [...alone, ...checked].filter((file) => !files.includes(file))
  if (missing.length > 0) throw new Error(`scripts/test-groups.js names files that are gone: ${missing.join(', ')}`)
  const shuffled = seed === null ? (list) => list : shuffler(seed)
  const together = shuffled(files.filter((file) => ![...alone, ...checked].includes(file)))
  const neighbours = Object.values(
    Object.groupBy(together, (file) => /^packages\/[^/]+\//.exec(file)[0] + kindOf(file)),
  )
  // Kinds are mixed, because some mostly wait. The longest processes begin first, and the shortest last, so that no core is
  // idle at the end.
  const mixed = [...neighbours.map(deal), alone.map((file) => [file])]
    .flatMap((kind) => kind.map((group, index) => ({ group, place: placeOf(group) + index / kind.length })))
    .sort((one, other) => one.place - other.place)
    .map(({ group }) => group)
  const processes = shuffled(mixed)
  mkdirSync(directory)
  return processes.map((group, index) => {
    const path = join(directory, `${String(index).padStart(3, '0')}-${basename(group[0])}.mjs`)
    writeFileSync(path, groupText(group))
    return path
  })
}

function placeOf([file]) {
  const kind = kindOf(file)
  if (kind === 'src') return 2
  return kind === 'test' && !alone.includes(file) ? 0 : 1
}

const kindOf = (file) => /^packages\/[^/]+\/(test\/http|test|src|e2e)/.exec(file)[1]

/** An order that the same seed repeats. */
function shuffler(seed) {
  const rank = (one) => createHash('sha256').update(`${seed} ${one}`).digest('hex')
  return (list) => list.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
}

/** Deals files out one by one, because the long ones often stand side by side. */
function deal(files) {
  const count = Math.ceil(files.length / filesPerProcess[kindOf(files[0])])
  return Array.from({ length: count }, (_, part) => files.filter((_file, index) => index % count === part))
}

function groupText(group) {
  const tests = group.map((file) => `test('${file}', { timeout: Infinity }, () => import('${urlOf(file)}'))`)
  const shared = [
    `import { keepSharedWorlds } from '${urlOf('packages/server/test/world.ts')}'`,
    'after(keepSharedWorlds())',
  ]
  const usesWorlds = group.length > 1 && /^packages\/(server|sdk)\/test\//.test(group[0])
  return ["import { after, test } from 'node:test'", ...(usesWorlds ? shared : []), ...tests, ''].join('\n')
}

function urlOf(file) {
  return pathToFileURL(join(root, file)).href
}
