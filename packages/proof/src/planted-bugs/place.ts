// Finds the place of a text by its tokens, so that a bug survives a move, another indentation and a broken line.

import { basename } from 'node:path'
import { rangesOf } from './declarations.ts'
import type { Change } from './planted-bug.ts'
import type { Sources } from './tree.ts'

export type Place = { file: string; start: number; end: number }

const token = /[\w$]+|[^\s]/g
const isWord = (text: string): boolean => /^[\w$]/.test(text)
const isClosing = (text: string): boolean => /^[)\]}]$/.test(text)

export function placesOf({ within, find }: Pick<Change, 'within' | 'find'>, sources: Sources): Place[] {
  const words = tokensOf(find)
  const pattern = patternOf(words)
  return [...sources].flatMap(([file, { text, words: known }]) => {
    if (words.some((word) => isWord(word) && !known.has(word))) return []
    const places = Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
      file,
      start: index,
      end: index + found.length,
    }))
    if (within === undefined || places.length === 0) return places
    if (!file.endsWith('.ts')) return basename(file) === within ? places : []
    const ranges = rangesOf(within, text)
    return places.filter(({ start, end }) => ranges.some((range) => range.start <= start && end <= range.end))
  })
}

/** @returns the place that has most of the words of `find` close together; null if there is none */
export function nearestPlace(find: string, sources: Sources): Place | null {
  const wanted = tokensOf(find)
  let best = { score: 0, place: null as Place | null }
  for (const [file, { text }] of sources) {
    const found = Array.from(text.matchAll(token))
    const open = countOf(wanted)
    let score = 0
    // A window as long as the text slides over the file. `open` is what it still lacks; less than zero is too many.
    const move = (word: string, by: 1 | -1): void => {
      const lacks = open.get(word)
      if (lacks === undefined) return
      if (by === 1 ? lacks > 0 : lacks >= 0) score += by * word.length
      open.set(word, lacks - by)
    }
    for (const [at, entering] of found.entries()) {
      const leaving = found[at - wanted.length]
      if (leaving) move(leaving[0], -1)
      move(entering[0], 1)
      if (score <= best.score) continue
      const { index: start } = found[Math.max(0, at + 1 - wanted.length)] ?? entering
      best = { score, place: { file, start, end: entering.index + entering[0].length } }
    }
  }
  return best.place
}

/** The tokens of a text, without trailing commas. */
export function tokensOf(text: string): string[] {
  const all = text.match(token) ?? []
  return all.filter((one, at) => one !== ',' || !isClosing(all[at + 1] ?? ''))
}

function patternOf(words: readonly string[]): RegExp {
  const parts = words.map((word, at) => {
    const before = words[at - 1]
    const gap = before === undefined ? '' : isWord(before) && isWord(word) ? '\\s+' : '\\s*'
    return `${before !== undefined && isClosing(word) ? `${gap}(?:,\\s*)?` : gap}${word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}`
  })
  const start = isWord(words[0] ?? '') ? '(?<![\\w$])' : ''
  const end = isWord(words.at(-1) ?? '') ? '(?![\\w$])' : ''
  return new RegExp(start + parts.join('') + end, 'g')
}

function countOf(words: readonly string[]): Map<string, number> {
  const count = new Map<string, number>()
  for (const word of words) count.set(word, (count.get(word) ?? 0) + 1)
  return count
}
