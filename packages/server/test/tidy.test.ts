// The layout and the habits of the project, checked like everything else. Each rule is tried on planted violations first:
// a rule that finds nothing there would find nothing anywhere.

import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import {
  findInLock,
  findInManifests,
  findUnpinned,
  readInstalled,
  runtimeDependencies,
} from './tidy/dependency-rules.ts'
import { describeFindings, type Finding } from './tidy/finding.ts'
import * as habits from './tidy/habit-rules.ts'
import * as imports from './tidy/import-rules.ts'
import { plantedInstalled, plantedTexts, plantedTree, plantedViolations } from './tidy/planted.ts'
import { checkProse, findProse } from './tidy/prose-rules.ts'
import { findProviderWords } from './tidy/provider-rules.ts'
import { readSourceTree } from './tidy/source-tree.ts'
import { findInTexts, readTexts } from './tidy/text-rules.ts'

const root = resolve(import.meta.dirname, '../../..')
const rules = { ...imports, ...habits }
const pages = ['packages/console/tsconfig.json', 'packages/onboarding/tsconfig.json']
const tree = readSourceTree(root, ['tsconfig.json', 'packages/sdk/tsconfig.json', ...pages])
const texts = readTexts(root)

function assertTidy(findings: readonly Finding[]): void {
  if (findings.length > 0) assert.fail(describeFindings(findings))
}

describe('source', () => {
  for (const rule of Object.values(rules)) test(rule.holds, () => assertTidy(rule.find(tree)))
})

describe('planted violations', () => {
  const tree = plantedTree()
  for (const [name, expected] of Object.entries(plantedViolations)) {
    test(`${name} finds what was planted for it, and nothing else`, () => {
      const rule = rules[name as keyof typeof rules]
      const found = rule.find(tree).map(({ path, line }) => `${path}:${line}`)
      assert.deepEqual(found.toSorted(), expected.toSorted())
    })
  }
  test('every rule has something planted for it', () => {
    assert.deepEqual(Object.keys(plantedViolations).toSorted(), Object.keys(rules).toSorted())
  })
  test('texts and dependencies have their violations found', () => {
    assert.deepEqual(
      findInTexts(plantedTexts).map(({ path }) => path),
      [...plantedTexts.keys()],
    )
    assert.deepEqual(
      findInLock(plantedInstalled).map(({ problem }) => problem),
      [
        'far names the address it came from',
        'bare has no integrity hash',
        'busy has an install script',
        'lets install scripts run',
      ],
    )
    const problems = findInManifests(plantedInstalled).map(({ problem }) => problem)
    assert.deepEqual(problems.slice(0, 2), ['asks for a version as "^5.0.0"', 'asks for a version as "*"'])
    assert.ok(problems.includes('undici stands in only one of package.json and the layout table'))
  })
})

test('nothing is left for later, and no text speaks of one machine', () => assertTidy(findInTexts(texts)))

test('dependencies are pinned, inert, hashed, and each has its place', (t) => {
  const installed = readInstalled(root)
  const direct = runtimeDependencies(installed)
  t.diagnostic(`${direct.length} direct runtime dependencies: ${direct.join(', ')}`)
  assertTidy([...findInManifests(installed), ...findInLock(installed)])
  const docs = readInstalled(root, 'docs/')
  assertTidy([...findUnpinned(docs), ...findInLock(docs)])
})

describe('words of one provider', () => {
  test('stand in its adapter alone', () => assertTidy(findProviderWords(texts)))
  test('planted words are found, and public names are not', () => {
    const planted = new Map([
      ['packages/server/src/deposits/service.ts', '// Bridge.\nconst a = 1\nif (code === "has_not_accepted_tos") {}\n'],
      ['packages/server/src/virtual-accounts/schema.ts', 'bridge_wallet_id: 1\n'],
      ['packages/server/src/provider/bridge/bridge.ts', '// Bridge.\n'],
    ])
    assert.deepEqual(
      findProviderWords(planted).map(({ path, line }) => `${path}:${line}`),
      ['packages/server/src/deposits/service.ts:1', 'packages/server/src/deposits/service.ts:3'],
    )
  })
})

describe('prose', () => {
  test('no group of texts has more phrases of the old style than its ceiling', (t) => {
    const { counts, above } = checkProse(texts, tree)
    t.diagnostic(counts.join('\n'))
    assert.ok(above.length === 0, `${counts.join('\n')}\n\n${describeFindings(above)}`)
  })
  test('planted phrases are found in pages, texts and comments', () => {
    const long = Array.from({ length: 31 }, () => 'word').join(' ')
    const planted = new Map([
      ['README.md', `# Know more\n\nIt is told.\n\n${long}.\n\n\`told\`\n\n\`\`\`\ntold\n\`\`\`\n`],
    ])
    const found = findProse(planted, plantedTree())
    const places = (group: string) => found.get(group)?.map(({ path, line }) => `${path}:${line}`)
    assert.deepEqual(places('pages and READMEs'), ['README.md:1', 'README.md:3', 'README.md:5'])
    assert.deepEqual(places('texts of cli'), ['packages/cli/src/prose.ts:3'])
    assert.deepEqual(places('comments of cli'), ['packages/cli/src/prose.ts:1', 'packages/cli/src/prose.ts:4'])
  })
})
