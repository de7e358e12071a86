// A small project full of violations, in memory: for each rule, the places it must find.

import { createVirtualFileSystem } from 'typescript/unstable/fs'
import type { Installed } from './dependency-rules.ts'
import { filesMax, functionLinesMax, leadsToMax, linesMax } from './layout.ts'
import { readSourceTree, type SourceTree } from './source-tree.ts'

const server = 'packages/server/src'
const cli = 'packages/cli/src'
const sandbox = 'packages/sandbox/src'
const test = 'packages/server/test'
const proof = 'packages/proof/src'
const long = (lines: number): string => Array.from({ length: lines }, (_, line) => `  void ${line}\n`).join('')

/** More files than a folder may hold. */
const crowd = Object.fromEntries(
  Array.from({ length: filesMax + 1 }, (_, number) => [`${server}/audit/part-${number}.ts`, '// Part.\n']),
)

const heavy = `${server}/stats/service.ts`

/** More files than `heavy` may lead to, each in a separate folder. */
const weights = Object.fromEntries(
  Array.from({ length: (leadsToMax[heavy] ?? 0) + 1 }, (_, number) => [
    `${server}/stats/${number}/part.ts`,
    '// Part.\n',
  ]),
)

/** @param root as the importing file sees it */
const importsOf = (root: string, imported: object): string =>
  Object.keys(imported)
    .map((path) => `import '${root}/${path}'\n`)
    .join('')

const files: Readonly<Record<string, string>> = {
  ...crowd,
  ...weights,
  [heavy]: `// Heavy.\n${importsOf('../../../..', weights)}`,
  [`${cli}/main.ts`]: `// Entry.\nimport '../../server/src/main.ts'\nimport '../../proof/src/load.ts'\nimport './prose.ts'\n${importsOf('../../..', { ...crowd, [heavy]: true })}`,
  [`${cli}/prose.ts`]: "// Begins anew.\n// It\nexport const text = 'It is told'\nvoid 0 // Goes on.\nvoid 'told'\n",
  [`${proof}/load.ts`]:
    "// Load.\nimport '../../server/src/platform/version.ts'\nimport '../../server/test/world.ts'\nfetch('/')\nimport './faults/one.ts'\n",
  [`${proof}/faults/one.ts`]: "// One.\nimport '../rig/world.ts'\nimport '../../../server/src/platform/version.ts'\n",
  [`${proof}/rig/world.ts`]:
    "// World.\nimport '../../../server/src/platform/version.ts'\nimport '../../../server/test/world.ts'\nimport '../../../server/test/person.ts'\n",
  'packages/server/test/person.ts': "// Person.\nimport '../src/platform/version.ts'\n",
  [`${server}/platform/version.ts`]: "// Version.\nimport type { Deps } from '../app/context.ts'\n",
  'packages/server/test/world.ts': '// World.\n',
  [`${server}/app/context.ts`]: "// What services get handed.\nexport type Deps = 1\nimport '../process/serve.ts'\n",
  [`${server}/process/serve.ts`]: '// Program.\n',
  [`${server}/main.ts`]:
    "// Root.\nimport './deposits/routes.ts'\nimport './platform/rule.ts'\nimport './platform/ring.ts'\nDate.now()\n",
  [`${server}/deposits/routes.ts`]:
    "// Edge.\nimport './store.ts'\nimport 'undici'\nimport 'fastify'\nimport type { A } from 'typebox'\nimport { B } from 'big.js'\nimport '../events/store.ts'\nimport '../events/service.ts'\nimport { Deps } from '../app/context.ts'\nimport type { ServerCore } from '../platform/string-utils.ts'\n",
  [`${server}/deposits/store.ts`]: `// Rows.\nimport '../../../sandbox/src/main.ts'\nimport 'left-pad'\nimport './routes.ts'\n${long(linesMax - 3)}`,
  [`${server}/events/store.ts`]:
    '// Rows of events.\nquery`select 1`\nvoid tx`select 1`\ntx.unsafe("select 1")\nawait query`select 1`\nawait tx.unsafe("select 1")\n',
  [`${server}/events/service.ts`]: "// Events.\nimport '../deposits/state.rules.ts'\n",
  [`${server}/deposits/state.rules.ts`]: '// States.\n',
  [`${server}/platform/rule.ts`]:
    "// Rule.\nimport './ring.ts'\nprocess.env.PORT\nconst a = new Date()\nMath.random()\nfetch('/')\nimport '../deposits/state.rules.ts'\n",
  [`${server}/platform/ring.ts`]:
    "// Ring.\n// Above the usual length: to show that it may be.\nimport './rule.ts'\nimport './string-utils.ts'\nexport default 1\nexport * from './rule.ts'\nenum E {}\nlet b: any\nnew Proxy({}, {})\n",
  [`${server}/platform/string-utils.ts`]: `// Vague.\nexport function endless() {\n  const inner = () => {\n${long(functionLinesMax - 3)}  }\n}\n`,
  [`${server}/platform/dead.ts`]: `export const now = new Date(0)\nif (process.env['NODE_ENV']) throw 0\nimport { randomBytes } from 'node:crypto'\n`,
  [`${test}/one.test.ts`]: "// One.\nimport type { Two } from './two.ts'\nexport type One = Two\n",
  [`${test}/two.ts`]: "// Two.\nimport type { One } from './one.test.ts'\nexport type Two = One\n",
  [`${sandbox}/main.ts`]:
    "// Entry.\nimport './bridge/state/world.ts'\nimport './state/table.ts'\nimport './bridge/deposits/deposits.ts'\n",
  [`${sandbox}/state/table.ts`]: "// Tables.\nimport type { Row } from '../bridge/deposits/rows.ts'\n",
  [`${sandbox}/bridge/state/world.ts`]:
    "// World.\nimport type { Row } from '../deposits/rows.ts'\nimport { Row } from '../deposits/rows.ts'\n",
  [`${sandbox}/bridge/deposits/rows.ts`]:
    "// Rows.\nimport '../state/world.ts'\nexport type Row = 1\nimport './rows.ts'\n",
  [`${sandbox}/bridge/deposits/deposits.ts`]: "// Deposits.\nimport '../../other/hooks.ts'\n",
  [`${sandbox}/other/hooks.ts`]:
    "// Hooks of another provider.\nimport type { Row } from '../bridge/deposits/rows.ts'\n",
}

export function plantedTree(): SourceTree {
  const config = { compilerOptions: { noLib: true, allowImportingTsExtensions: true }, include: ['packages'] }
  const given = Object.entries({ ...files, 'tsconfig.json': JSON.stringify(config) })
  return readSourceTree(
    '/planted',
    ['tsconfig.json'],
    createVirtualFileSystem(Object.fromEntries(given.map(([path, text]) => [`/planted/${path}`, text]))),
  )
}

export const plantedViolations: Readonly<Record<string, readonly string[]>> = {
  packageArrowRule: [`${cli}/main.ts:3`, `${server}/deposits/store.ts:2`],
  roleRule: [`${server}/deposits/store.ts:4`],
  subjectRule: [
    `${server}/deposits/routes.ts:7`,
    `${server}/deposits/routes.ts:9`,
    `${server}/platform/rule.ts:7`,
    `${server}/platform/version.ts:2`,
    `${server}/app/context.ts:3`,
  ],
  subjectCycleRule: [`${server}/deposits/routes.ts:7`, `${server}/events/service.ts:2`],
  folderRule: [`${server}/audit:1`],
  packageRule: [3, 6].map((line) => `${server}/deposits/routes.ts:${line}`).concat(`${server}/deposits/store.ts:3`),
  leadsToRule: [`${heavy}:1`, `${server}/events/ingest/ingest.ts:1`],
  cycleRule: [
    `${server}/deposits/store.ts:4`,
    `${server}/platform/ring.ts:3`,
    `${server}/platform/ring.ts:6`,
    `${sandbox}/bridge/deposits/rows.ts:2`,
    `${sandbox}/bridge/deposits/rows.ts:4`,
    `${test}/two.ts:2`,
  ],
  rigRule: [`${proof}/faults/one.ts:3`, `${proof}/rig/world.ts:2`, `${proof}/rig/world.ts:4`],
  sandboxRoomRule: [
    `${sandbox}/state/table.ts:2`,
    `${sandbox}/bridge/state/world.ts:3`,
    `${sandbox}/bridge/deposits/deposits.ts:2`,
    `${sandbox}/other/hooks.ts:2`,
  ],
  deadFileRule: [`${server}/platform/dead.ts:1`],
  environmentRule: [`${server}/platform/rule.ts:3`, `${server}/platform/dead.ts:2`, `${server}/platform/dead.ts:2`],
  ambientRule: [`${server}/platform/rule.ts:4`, `${server}/platform/rule.ts:5`, `${server}/platform/dead.ts:3`],
  networkRule: [`${server}/platform/rule.ts:6`],
  exportRule: [5, 6, 7, 8, 9].map((line) => `${server}/platform/ring.ts:${line}`),
  wholeDatabaseRule: [`${server}/deposits/routes.ts:10`],
  unawaitedRule: [2, 3, 4].map((line) => `${server}/events/store.ts:${line}`),
  functionLengthRule: [`${server}/platform/string-utils.ts:2`],
  fileLengthRule: [`${server}/deposits/store.ts:${linesMax + 1}`],
  openingRule: [`${server}/platform/dead.ts:1`],
  nameRule: [`${server}/platform/string-utils.ts:1`],
}

export const plantedTexts: ReadonlyMap<string, string> = new Map([
  ['later.md', `- TO${''}DO: finish`],
  ['machine.md', `see /wo${''}rk/notes`],
  ['registry.md', `from https://regis${''}try.example.com/left-pad`],
])

export const plantedInstalled: Installed = {
  folder: '',
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
