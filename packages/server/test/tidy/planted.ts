// A small project full of violations, in memory: for each rule, the places it must find.

import { createVirtualFileSystem } from 'typescript/unstable/fs'
import type { Installed } from './dependency-rules.ts'
import { functionLinesMax, linesMax } from './layout.ts'
import { readSourceTree, type SourceTree } from './source-tree.ts'

const server = 'packages/server/src'
const sandbox = 'packages/sandbox/src'
const proof = 'packages/proof/src'
const long = (lines: number): string => Array.from({ length: lines }, (_, line) => `  void ${line}\n`).join('')

const files: Readonly<Record<string, string>> = {
  [`${server}/cli/main.ts`]: "// Entry.\nimport '../main.ts'\nimport '../../../proof/src/load.ts'\n",
  [`${proof}/load.ts`]:
    "// Load.\nimport '../../server/src/version.ts'\nimport '../../server/test/world.ts'\nfetch('/')\n",
  [`${server}/version.ts`]: '// Version.\n',
  'packages/server/test/world.ts': '// World.\n',
  [`${server}/main.ts`]:
    "// Root.\nimport './http/edge.ts'\nimport './domain/rule.ts'\nimport './domain/ring.ts'\nDate.now()\n",
  [`${server}/http/edge.ts`]:
    "// Edge.\nimport '../store/rows.ts'\nimport 'undici'\nimport 'fastify'\nimport type { A } from 'typebox'\nimport { B } from 'typebox'\n",
  [`${server}/store/rows.ts`]: `// Rows.\nimport '../../../sandbox/src/main.ts'\nimport 'left-pad'\n${long(linesMax - 2)}`,
  [`${server}/domain/rule.ts`]:
    "// Rule.\nimport './ring.ts'\nprocess.env.PORT\nconst a = new Date()\nMath.random()\nfetch('/')\n",
  [`${server}/domain/ring.ts`]:
    "// Ring.\n// Above the usual length: to show that it may be.\nimport './rule.ts'\nimport './string-utils.ts'\nexport default 1\nexport * from './rule.ts'\nenum E {}\nlet b: any\n",
  [`${server}/domain/string-utils.ts`]: `// Vague.\nexport function endless() {\n${long(functionLinesMax)}}\n`,
  [`${server}/domain/dead.ts`]: `export const now = new Date(0)\nif (process.env['NODE_ENV']) throw 0\nimport { randomBytes } from 'node:crypto'\n`,
  [`${sandbox}/main.ts`]: "// Entry.\nimport './world.ts'\nimport './rows.ts'\n",
  [`${sandbox}/world.ts`]: "// World.\nimport type { Row } from './rows.ts'\n",
  [`${sandbox}/rows.ts`]: "// Rows.\nimport './world.ts'\nexport type Row = 1\nimport './rows.ts'\n",
}

export function plantedTree(): SourceTree {
  const config = { compilerOptions: { noLib: true, allowImportingTsExtensions: true }, include: ['packages'] }
  const given = Object.entries({ ...files, 'tsconfig.json': JSON.stringify(config) })
  return readSourceTree(
    '/planted',
    createVirtualFileSystem(Object.fromEntries(given.map(([path, text]) => [`/planted/${path}`, text]))),
  )
}

export const plantedViolations: Readonly<Record<string, readonly string[]>> = {
  floorRule: [`${server}/cli/main.ts:3`, `${server}/http/edge.ts:2`, `${server}/store/rows.ts:2`],
  packageRule: [`${server}/http/edge.ts:3`, `${server}/http/edge.ts:6`, `${server}/store/rows.ts:3`],
  cycleRule: [
    `${server}/domain/ring.ts:3`,
    `${server}/domain/ring.ts:6`,
    `${sandbox}/rows.ts:2`,
    `${sandbox}/rows.ts:4`,
  ],
  deadFileRule: [`${server}/domain/dead.ts:1`],
  environmentRule: [`${server}/domain/rule.ts:3`, `${server}/domain/dead.ts:2`, `${server}/domain/dead.ts:2`],
  ambientRule: [`${server}/domain/rule.ts:4`, `${server}/domain/rule.ts:5`, `${server}/domain/dead.ts:3`],
  networkRule: [`${server}/domain/rule.ts:6`],
  exportRule: [5, 6, 7, 8].map((line) => `${server}/domain/ring.ts:${line}`),
  functionLengthRule: [`${server}/domain/string-utils.ts:2`],
  fileLengthRule: [`${server}/store/rows.ts:${linesMax + 1}`],
  openingRule: [`${server}/domain/dead.ts:1`],
  nameRule: [`${server}/domain/string-utils.ts:1`],
}

export const plantedTexts: ReadonlyMap<string, string> = new Map([
  ['later.md', `- TO${''}DO: finish`],
  ['machine.md', `see /wo${''}rk/notes`],
  ['registry.md', `from https://regis${''}try.example.com/left-pad`],
])

export const plantedInstalled: Installed = {
  manifests: { 'packages/server/package.json': { dependencies: { fastify: '^5.0.0' }, devDependencies: { ajv: '*' } } },
  lock: {
    packages: {
      '': {},
      'node_modules/far': { resolved: 'https://example.com/far.tgz', integrity: 'sha512-x' },
      'node_modules/bare': {},
      'node_modules/a/node_modules/busy': { integrity: 'sha512-x', hasInstallScript: true },
    },
  },
  npmrc: 'fund=false\n',
}
