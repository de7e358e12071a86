// Splits the project's texts into passages of prose: pages, the strings of programs, and comments.

import type { Node } from 'typescript/unstable/ast'
import { SyntaxKind } from 'typescript/unstable/ast'
import type { SourceModule, SourceTree } from './source-tree.ts'

export type Passage = { group: string; path: string; line: number; text: string; kind: 'page' | 'text' | 'comment' }

const packageOf = (path: string): string => /^packages\/([\w-]+)\//.exec(path)?.[1] ?? 'repository'

/** Inline code, links' addresses and tags are no prose. */
const proseOf = (text: string): string =>
  text
    .replaceAll(/`[^`]*`/g, 'X')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/<[^>]*>/g, ' ')

/** Paragraphs, list items, table cells and headings of Markdown, without code blocks. */
export function passagesOfPages(texts: ReadonlyMap<string, string>): Passage[] {
  return [...texts]
    .filter(([path]) => /\.mdx?$/.test(path))
    .flatMap(([path, text]) => {
      const prose = text.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2 *$/gm, (block) =>
        block.replaceAll(/.+/g, ''),
      )
      return blocksOf(prose, /^\s*$|^(?:#+|\s*[-*]|\s*\d+\.|\|) ?/).map(
        (block): Passage => ({ ...block, group: 'pages and READMEs', path, kind: 'page', text: proseOf(block.text) }),
      )
    })
}

/** @param starts a line that begins a new block */
function blocksOf(text: string, starts: RegExp): { line: number; text: string }[] {
  const blocks: { line: number; text: string }[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const last = blocks.at(-1)
    const cells = line.startsWith('|') ? line.split('|').map((cell) => cell.trim()) : [line.trim()]
    if (last && !starts.test(line) && last.text !== '') last.text += ` ${line.trim()}`
    else blocks.push(...cells.map((cell) => ({ line: index + 1, text: cell })))
  }
  return blocks.filter((block) => block.text !== '')
}

const textKinds = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.JsxText,
])

const hasWords = /[A-Za-z]+ [a-z]+/

/** Strings and JSX texts of several words. */
export function passagesOfPrograms(tree: SourceTree): Passage[] {
  return [...tree.values()]
    .filter(({ path }) => /^packages\/[\w-]+\/src\//.test(path) && !/\/proof\/|\/texts\/(?!en)|\.test\.ts/.test(path))
    .flatMap((module) =>
      [...module.nodes]
        .filter((node) => textKinds.has(node.kind) && hasWords.test(textOf(node)))
        .map(
          (node): Passage => ({
            group: `texts of ${packageOf(module.path)}`,
            path: module.path,
            line: module.lineOf(node),
            text: proseOf(textOf(node)),
            kind: 'text',
          }),
        ),
    )
}

const textOf = (node: Node): string => ('text' in node && typeof node.text === 'string' ? node.text : '')

export function passagesOfComments(tree: SourceTree): Passage[] {
  return [...tree.values()].flatMap((module) =>
    commentsOf(module).map(
      (comment): Passage => ({
        ...comment,
        group: `comments of ${packageOf(module.path)}`,
        path: module.path,
        text: proseOf(comment.text),
        kind: 'comment',
      }),
    ),
  )
}

/** Consecutive comments on separate lines are one. */
function commentsOf(module: SourceModule): { line: number; text: string }[] {
  const comments: { line: number; text: string; end: number }[] = []
  for (const [index, line] of module.text.split('\n').entries()) {
    const whole = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))(.*?)(?:\*\/)?$/.exec(line)?.[1]
    const text = whole ?? /\s\/\/ (.*)$/.exec(line)?.[1]
    const last = comments.at(-1)
    if (text === undefined) continue
    if (last && whole !== undefined && last.end === index && !text.trim().startsWith('@')) {
      last.text += ` ${text.trim()}`
      last.end = index + 1
    } else comments.push({ line: index + 1, text: text.trim(), end: index + 1 })
  }
  return comments
}
