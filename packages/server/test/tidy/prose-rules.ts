// Phrases that the house style replaces, as a ratchet: the number of each group of texts may only fall.

import type { Finding } from './finding.ts'
import { type Passage, passagesOfComments, passagesOfPages, passagesOfPrograms } from './prose-passages.ts'
import type { SourceTree } from './source-tree.ts'

/** Most findings that each group may have. Lower a number when your change lowers the count; never raise one. */
const ceilings: Readonly<Record<string, number>> = {
  'comments of cli': 4,
  'comments of console': 0,
  'comments of embedded-postgres': 0,
  'comments of forms': 0,
  'comments of onboarding': 0,
  'comments of proof': 0,
  'comments of repository': 0,
  'comments of sandbox': 0,
  'comments of sdk': 0,
  'comments of server': 5,
  'comments of tracing': 0,
  'pages and READMEs': 0,
  'texts of cli': 0,
  'texts of console': 0,
  'texts of embedded-postgres': 0,
  'texts of forms': 1,
  'texts of onboarding': 1,
  'texts of sandbox': 0,
  'texts of sdk': 0,
  'texts of server': 0,
}

type Phrase = { words: RegExp; instead: string; kind?: Passage['kind'] }

const opening = '(?:^|[.!?:;] )'

const phrases: readonly Phrase[] = [
  { words: /\banew\b/gi, instead: 'again' },
  { words: /\b(?:whoever|whomever)\b/gi, instead: 'anyone who, or the noun' },
  { words: /\b(?:that|those) which\b/gi, instead: 'the noun' },
  { words: /\b(?:hears? of|heard of|told|tells? of|make[s]? known)\b/gi, instead: 'send, report, show or return' },
  { words: /\bof (?:yours|ours|theirs)\b|\bof (?:its|their|your|our) own\b/gi, instead: 'your, our, its own' },
  { words: /\bby (?:itself|themselves)\b/gi, instead: 'automatically' },
  { words: /\b(?:go|goes|going|went) on\b/gi, instead: 'continue' },
  { words: /\bany ?more\b/gi, instead: 'no longer' },
  { words: /\b(?:stands|stand|stood|lies|lie)\b(?! for\b)/gi, instead: 'is, or store' },
  { words: /\bsome \d/gi, instead: 'about' },
  { words: /\banswer(?:s|ed|ing)?\b/gi, instead: 'response, respond or return' },
  { words: /\be-mails?\b/gi, instead: 'email' },
  { words: /\b(?:meanwhile|wherefore|but for|beside)\b/gi, instead: 'in the meantime, except, next to' },
  { words: /\bcan not\b/gi, instead: 'cannot' },
  { words: new RegExp(`${opening}Whose\\b`, 'g'), instead: 'a sentence that starts with its subject' },
  {
    words: new RegExp(`${opening}Of (?:an?|the|all|each|those|what)\\b`, 'g'),
    instead: 'a sentence that starts with its subject',
  },
  { words: new RegExp(`${opening}(?:What|By how)\\b(?![^.]*\\?)`, 'g'), instead: 'the noun', kind: 'comment' },
  { words: /^#+ (?:Know|Hear|Make)\b/g, instead: 'a noun, or the verb that people search for', kind: 'page' },
]

const sentenceWordsMax = 30

/** Counts by group, and the findings of each group that is above its ceiling. */
export function checkProse(
  texts: ReadonlyMap<string, string>,
  tree: SourceTree,
): { counts: string[]; above: Finding[] } {
  const groups = [...findProse(texts, tree)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const counts = groups.map(([group, { length }]) => `${group}: ${length} of ${ceilings[group] ?? 0}`)
  return { counts, above: groups.flatMap(([group, found]) => (found.length > (ceilings[group] ?? 0) ? found : [])) }
}

export function findProse(texts: ReadonlyMap<string, string>, tree: SourceTree): ReadonlyMap<string, Finding[]> {
  const passages = [...passagesOfPages(texts), ...passagesOfPrograms(tree), ...passagesOfComments(tree)]
  const findings = new Map<string, Finding[]>()
  for (const passage of passages) {
    const found = [...phrasesIn(passage), ...longSentencesIn(passage)]
    findings.set(passage.group, [...(findings.get(passage.group) ?? []), ...found])
  }
  return findings
}

function phrasesIn({ path, line, text, kind }: Passage): Finding[] {
  return phrases
    .filter((phrase) => phrase.kind === undefined || phrase.kind === kind)
    .flatMap(({ words, instead }) =>
      [...text.matchAll(words)].map(([match]) => ({
        path,
        line,
        problem: `says "${match.replace(/^[.!?:;] /, '')}"`,
        remedy: `Write: ${instead}.`,
      })),
    )
}

function longSentencesIn({ path, line, text, kind }: Passage): Finding[] {
  if (kind !== 'page') return []
  return text
    .split(/(?<=[.!?:])\s+/)
    .filter((sentence) => sentence.split(/\s+/).length > sentenceWordsMax)
    .map((sentence) => ({
      path,
      line,
      problem: `has a sentence of ${sentence.split(/\s+/).length} words: "${sentence.slice(0, 60)}…"`,
      remedy: `Split it: at most ${sentenceWordsMax} words.`,
    }))
}
