// Makes every `await` of a source file a place where the process can be killed. Pure. Lines stay where they are, so that a
// point's name is its line in the product.

import { stripTypeScriptTypes } from 'node:module'
import { type Node, parse } from 'acorn'
import { nodesOf } from '../rig/syntax-tree.ts'

type Edit = { at: number; text: string; isEnd: boolean; begunAt: number }

/** Each loop is a separate path, identified by its name. */
const loopStart = { file: 'platform/loop.ts', plain: 'const finished = run()', marked: '__crash.loop(work.name, run)' }

/** In these `await using` closes what a start has opened, which is on no path of a write. */
const endsStarts = new Set(['main.ts', 'app/host-replicas.ts', 'platform/postgres/connecting/pooling.ts'])

/**
 * `await X` becomes `await __crash.at(X, site)`, and `for await (… of X)` becomes `for await (… of __crash.each(X, site))`.
 * @param file below packages/server/src, as in the names of points
 * @returns JavaScript
 */
export function instrument(source: string, file: string): string {
  const code = stripTypeScriptTypes(source)
  const edits: Edit[] = []
  const lines = lineStarts(code)
  const taken = new Map<number, number>()

  const siteAt = (position: number): string => {
    const line = lines.findLastIndex((start) => start <= position) + 1
    const nth = (taken.get(line) ?? 0) + 1
    taken.set(line, nth)
    return `${file}:${line}${nth > 1 ? `+${nth}` : ''}`
  }

  const wrap = (inner: Node, how: 'at' | 'each', site: string): void => {
    edits.push({ at: inner.start, text: `__crash.${how}(`, isEnd: false, begunAt: inner.start })
    edits.push({ at: inner.end, text: `, ${JSON.stringify(site)})`, isEnd: true, begunAt: inner.start })
  }

  for (const node of nodesOf(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))) {
    if (node.type === 'AwaitExpression') wrap(part(node, 'argument'), 'at', siteAt(node.start))
    else if (node.type === 'ForOfStatement' && (node as Node & { await: boolean }).await)
      wrap(part(node, 'right'), 'each', siteAt(node.start))
    else if (!endsStarts.has(file) && (node as Node & { kind?: string }).kind === 'await using')
      throw new Error(`${file}: say here how "await using" is to be stopped at`)
  }
  const marked = apply(code, edits)
  if (file !== loopStart.file) return marked
  if (!marked.includes(loopStart.plain)) throw new Error(`${file} no longer has "${loopStart.plain}"`)
  return marked.replace(loopStart.plain, `const finished = ${loopStart.marked}`)
}

function apply(code: string, edits: readonly Edit[]): string {
  // If several edits end in one place, the inner one ends first.
  const sorted = edits.toSorted((a, b) => a.at - b.at || Number(b.isEnd) - Number(a.isEnd) || b.begunAt - a.begunAt)
  let result = ''
  let done = 0
  for (const { at, text } of sorted) {
    result += code.slice(done, at) + text
    done = at
  }
  return result + code.slice(done)
}

function lineStarts(code: string): number[] {
  return [0, ...Array.from(code.matchAll(/\n/g), ({ index }) => index + 1)]
}

function part(node: Node, name: 'argument' | 'right'): Node {
  return (node as Node & Record<typeof name, Node>)[name]
}
