// The project's source as parsed by the compiler: what the tidy rules look at. The compiler's programming interface is
// marked unstable by its makers; the exact version in package.json and the planted violations of tidy.test.ts hold it.

import { posix } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { SyntaxKind } from 'typescript/unstable/ast'
import { isCallExpression, isExportDeclaration, isImportDeclaration, isStringLiteral } from 'typescript/unstable/ast/is'
import type { FileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'

export type Reference = {
  /** As written: `../domain/ids.ts`, `node:fs`, `fastify`. */
  specifier: string
  /** Path of the module in this project; null for packages and for what is no module. */
  target: string | null
  line: number
  /** False for a path in a string, which makes a file reachable and is no import. */
  isImport: boolean
  /** Erased: `import type`, or a type by `import('…')`. */
  isTypeOnly: boolean
}

export type SourceModule = {
  /** From the root of the project: `packages/server/src/main.ts`. */
  path: string
  text: string
  lineCount: number
  references: readonly Reference[]
  lineOf(node: Node): number
  /** Every node, each once, parents before children. */
  nodes: readonly Node[]
}

export type SourceTree = ReadonlyMap<string, SourceModule>

/**
 * @param root absolute path of the project
 * @param configs below it; a file that several of them name is read once
 */
export function readSourceTree(root: string, configs: readonly string[], fs?: FileSystem): SourceTree {
  const api = new API({ cwd: root, ...(fs ? { fs } : {}) })
  try {
    const openProjects = configs.map((config) => `${root}/${config}`)
    const projects = api.updateSnapshot({ openProjects }).getProjects()
    if (projects.length !== configs.length) throw new Error(`${projects.length} projects in ${root}`)
    const owners = new Map(
      projects.flatMap((project) =>
        project.rootFiles.filter((name) => name.startsWith(`${root}/`)).map((name) => [name, project] as const),
      ),
    )
    const known = new Set([...owners.keys()].map((name) => name.slice(root.length + 1)))
    const modules = [...owners].map(([name, project]) => {
      const file = project.program.getSourceFile(name)
      if (!file) throw new Error(`the compiler did not read ${name}`)
      return moduleOf(name.slice(root.length + 1), file, known)
    })
    return new Map(modules.map((module) => [module.path, module]))
  } finally {
    api.close()
  }
}

function moduleOf(path: string, file: SourceFile, known: ReadonlySet<string>): SourceModule {
  const lineOf = (node: Node): number => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
  const nodes = nodesOf(file)
  return {
    path,
    text: file.text,
    lineCount: file.text.split('\n').length - 1,
    lineOf,
    nodes,
    references: nodes.flatMap((node) => {
      if (!isStringLiteral(node)) return []
      const target = posix.join(posix.dirname(path), node.text)
      const isImport = isImportLike(node.parent)
      if (!isImport && !known.has(target)) return []
      return [
        {
          specifier: node.text,
          target: known.has(target) ? target : null,
          line: lineOf(node),
          isImport,
          isTypeOnly: isErased(node.parent),
        },
      ]
    }),
  }
}

function isErased(parent: Node): boolean {
  if (isImportDeclaration(parent)) return parent.importClause?.phaseModifier === SyntaxKind.TypeKeyword
  if (isExportDeclaration(parent)) return parent.isTypeOnly
  return parent.kind === SyntaxKind.LiteralType
}

function isImportLike(parent: Node): boolean {
  if (isImportDeclaration(parent) || isExportDeclaration(parent)) return true
  if (parent.kind === SyntaxKind.LiteralType) return parent.parent.kind === SyntaxKind.ImportType
  return isCallExpression(parent) && parent.expression.kind === SyntaxKind.ImportKeyword
}

function nodesOf(file: SourceFile): Node[] {
  const nodes: Node[] = []
  const visit = (node: Node): void => {
    nodes.push(node)
    node.forEachChild(visit)
  }
  visit(file)
  return nodes
}
