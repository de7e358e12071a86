// Finds a declaration by its name in TypeScript.

import { stripTypeScriptTypes } from 'node:module'
import { type Node, parse } from 'acorn'
import { nodesOf } from '../rig/syntax-tree.ts'

/** @returns where functions, methods, classes and constants of this name are; types keep their places, as spaces */
export function rangesOf(name: string, source: string): { start: number; end: number }[] {
  const program = parse(stripTypeScriptTypes(source), { ecmaVersion: 'latest', sourceType: 'module' })
  return [...nodesOf(program)].filter((node) => nameOf(node) === name)
}

function nameOf(node: Node): string | undefined {
  const { id, key } = node as { id?: { name?: string } | null; key?: { name?: string } }
  if (/^(Function|Class)Declaration$|^VariableDeclarator$/.test(node.type)) return id?.name
  if (/^(Method|Property)Definition$|^Property$/.test(node.type)) return key?.name
  return undefined
}
