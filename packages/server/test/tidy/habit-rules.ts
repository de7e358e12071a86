// Rules about one file at a time: length, names, opening comment, and what only some places may ask of the machine.

import type { Node } from 'typescript/unstable/ast'
import { SyntaxKind } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isEnumDeclaration,
  isExportAssignment,
  isExportDeclaration,
  isExpressionStatement,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportSpecifier,
  isNewExpression,
  isPropertyAccessExpression,
  isTaggedTemplateExpression,
  isVoidExpression,
} from 'typescript/unstable/ast/is'
import type { Finding, Rule } from './finding.ts'
import {
  ambientHomes,
  barrels,
  componentLinesMax,
  type Exception,
  functionLinesMax,
  isSource,
  isUnder,
  linesMax,
  networkHomes,
  server,
  wholeDatabaseHomes,
} from './layout.ts'
import type { SourceModule, SourceTree } from './source-tree.ts'

type Remark = { node: Node; problem: string }

/** A rule that looks at each node of each file of a kind. */
function nodeRule(
  holds: string,
  covers: (path: string) => boolean,
  remedy: string,
  look: (node: Node, module: SourceModule) => string | null,
): Rule {
  const find = (tree: SourceTree): Finding[] =>
    [...tree.values()]
      .filter(({ path }) => covers(path))
      .flatMap((module) => {
        const remarks: Remark[] = []
        for (const node of module.nodes) {
          const problem = look(node, module)
          if (problem !== null) remarks.push({ node, problem })
        }
        return remarks.map(({ node, problem }) => ({ path: module.path, line: module.lineOf(node), problem, remedy }))
      })
  return { holds, find }
}

const outside =
  (homes: readonly Exception[]) =>
  (path: string): boolean =>
    isSource(path) && !homes.some(([home]) => isUnder(path, home))

const environmentReaders = ['packages/server/src/platform/settings.ts', 'packages/proof/src/rig/environment.ts']

export const environmentRule = nodeRule(
  'only settings.ts reads the environment, and nothing asks whether it is being tested',
  isSource,
  'Add a setting to settings.ts and take it as a parameter.',
  (node, { path, text }) => {
    const code = text.slice(node.pos, node.end).trim()
    if (node.kind === SyntaxKind.PropertyAccessExpression && code === 'process.env')
      return environmentReaders.includes(path) ? null : 'reads process.env'
    return /^['"]?NODE_ENV['"]?$/.test(code) ? 'asks for NODE_ENV' : null
  },
)

const cryptoSources = new Set(['randomBytes', 'randomInt', 'randomUUID', 'getRandomValues', 'webcrypto'])
const ambientProperties = new Set(['Date.now', 'Math.random', 'crypto.randomUUID', 'crypto.getRandomValues'])

export const ambientRule = nodeRule(
  'the time of day, chance and ids come by injection',
  outside(ambientHomes),
  'Take `now` or `randomBytes` from `Core` (or as a parameter). An exception is a line in test/tidy/layout.ts.',
  (node, { text }) => {
    if (isNewExpression(node) && isIdentifier(node.expression) && node.expression.text === 'Date')
      return node.arguments?.length ? null : 'makes `new Date()` of now'
    const code = text.slice(node.pos, node.end).trim()
    if (node.kind === SyntaxKind.PropertyAccessExpression) return ambientProperties.has(code) ? `uses ${code}` : null
    return isImportSpecifier(node) && cryptoSources.has(code) ? `imports ${code}` : null
  },
)

export const networkRule = nodeRule(
  'requests leave by the provider client and the sender only',
  outside(networkHomes),
  'Call the provider by its port, a receiver by the sender.',
  (node) =>
    isCallExpression(node) && isIdentifier(node.expression) && node.expression.text === 'fetch' ? 'calls fetch' : null,
)

export const exportRule = nodeRule(
  'no default export, no re-export but in a barrel of the layout table, no enum, no any, no Proxy',
  isSource,
  'Export by name, from where it is defined; use a union of literals; write the type, or `unknown`; write the functions out.',
  (node, { path }) => {
    if (
      isExportAssignment(node) ||
      (node.kind === SyntaxKind.DefaultKeyword && node.parent.kind !== SyntaxKind.DefaultClause)
    )
      return 'exports a default'
    if (isExportDeclaration(node) && node.moduleSpecifier && !barrels.includes(path)) return 're-exports another module'
    if (isEnumDeclaration(node)) return 'declares an enum'
    if (isNewExpression(node) && isIdentifier(node.expression) && node.expression.text === 'Proxy')
      return 'makes a Proxy'
    return node.kind === SyntaxKind.AnyKeyword ? 'says any' : null
  },
)

export const wholeDatabaseRule = nodeRule(
  'a request is handed the rows of its business: only the places of the layout table name `ServerCore`',
  (path) => path.startsWith(server),
  'Take `Core`, or a part of it. Another place is a line in test/tidy/layout.ts.',
  (node, { path, text }) => {
    if (!isImportSpecifier(node) || node.name.text !== 'ServerCore') return null
    const below = path.slice(server.length)
    const isOfOperator = /operations\.ts$/.test(below) && /\b(operator|public)Operations\b/.test(text)
    return isOfOperator || wholeDatabaseHomes.some((home) => home.test(below)) ? null : 'names ServerCore'
  },
)

export const unawaitedRule = nodeRule(
  'no SQL statement stands unawaited: it would never run',
  () => true,
  'Await the statement, or return it.',
  (node) => {
    if (!isExpressionStatement(node)) return null
    const code = isVoidExpression(node.expression) ? node.expression.expression : node.expression
    if (isTaggedTemplateExpression(code)) return 'does not await a tagged template'
    const called =
      isCallExpression(code) && isPropertyAccessExpression(code.expression) ? code.expression.name.text : ''
    return called === 'unsafe' ? 'does not await unsafe()' : null
  },
)

export const functionLengthRule = nodeRule(
  `no function has more than ${functionLinesMax} lines, functions inside counted, but one that lists routes, or a component`,
  isSource,
  'Name a part of it and make that a function.',
  (node, module) => {
    if (!isFunctionLikeDeclaration(node) || isRouteList(module, node)) return null
    const lines = module.text.slice(node.getStart(), node.end).split('\n').length
    const allowed = module.path.endsWith('.tsx') ? componentLinesMax : functionLinesMax
    return lines > allowed ? `a function of ${lines} lines` : null
  },
)

/** One registration after another, each on its own: a list, not a way through. */
function isRouteList({ path }: SourceModule, node: Node): boolean {
  return /[/.]routes\.ts$/.test(path) && node.parent.kind === SyntaxKind.SourceFile
}

/** A rule that looks at each file as a whole. */
function fileRule(
  holds: string,
  covers: (path: string) => boolean,
  look: (module: SourceModule) => Omit<Finding, 'path'> | null,
): Rule {
  const find = (tree: SourceTree): Finding[] =>
    [...tree.values()]
      .filter(({ path }) => covers(path))
      .flatMap((module) => {
        const found = look(module)
        return found ? [{ path: module.path, ...found }] : []
      })
  return { holds, find }
}

const openingComment = (text: string): string => text.match(/^(?:\/\/.*\n)+/)?.[0] ?? ''

export const fileLengthRule = fileRule(
  `no file is longer than ${linesMax} lines, unless it says why at its top`,
  isSource,
  ({ lineCount, text }) =>
    lineCount <= linesMax || openingComment(text).includes('\n// Above the usual length: ')
      ? null
      : {
          line: linesMax + 1,
          problem: `has ${lineCount} lines`,
          remedy: 'Move a part out, or say why not at the top: "// Above the usual length: …".',
        },
)

export const openingRule = fileRule(
  'every file opens with what it owns',
  () => true,
  ({ text }) =>
    openingComment(text) !== ''
      ? null
      : { line: 1, problem: 'opens without a comment', remedy: 'Say in one to three `//` lines what the file owns.' },
)

const vagueNames = /(^|[-/])(utils?|helpers?|managers?|common|misc)([-./]|$)/

export const nameRule = fileRule(
  'no file has a name that says nothing, and all are kebab-case',
  () => true,
  ({ path }) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (!vagueNames.test(path) && /^[a-z0-9]+([.-][a-z0-9]+)*\.tsx?$/.test(name)) return null
    return { line: 1, problem: 'is not named after what it owns', remedy: 'Name the noun it is about, in kebab-case.' }
  },
)
