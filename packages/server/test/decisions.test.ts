// The decision records, and the table of dependencies against every `package.json`.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, matchesGlob, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('a decision record has its number, a status, the four headings, and at most 250 words', () => {
  const records = globSync('docs/decisions/[0-9]*.md', { cwd: root })
  assert.ok(records.length > 0)
  for (const path of records) {
    const text = read(path)
    const number = Number(basename(path).slice(0, 4))
    assert.match(text, new RegExp(`^# ${number}\\. .+\\n\\nStatus: accepted, `), path)
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    assert.deepEqual(headings, ['Context', 'Decision', 'Alternatives', 'Consequences'], path)
    const { length } = text.split(/\s+/).filter((word) => word !== '')
    assert.ok(length <= 250, `${path} has ${length} words`)
  }
})

test('the table of dependencies has every runtime dependency of the repository, once, and no other package', () => {
  const rows = read('docs/decisions/dependencies.md').matchAll(/^\| (`[^|]+`) \|/gm)
  const listed = [...rows].flatMap(([, names = '']) => names.split(', ').map((name) => name.slice(1, -1)))
  type Manifest = Partial<Record<'dependencies' | 'optionalDependencies', Record<string, string>>>
  const manifests = globSync(['package.json', 'docs/package.json', 'packages/*/package.json'], { cwd: root })
  const used = manifests.flatMap((path) => {
    const { dependencies, optionalDependencies } = JSON.parse(read(path)) as Manifest
    return Object.keys({ ...dependencies, ...optionalDependencies })
  })
  // A row such as `node-*` names the packages of all platforms.
  const unlisted = used.filter((name) => !listed.some((row) => matchesGlob(name, row)))
  const unused = listed.filter((row) => !used.some((name) => matchesGlob(name, row)))
  assert.deepEqual({ unlisted, unused }, { unlisted: [], unused: [] })
  assert.deepEqual(listed, [...new Set(listed)])
})
