// The colours of the design system: every pair of text and background on the pages reaches WCAG AA in both themes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const css = readFileSync(join(import.meta.dirname, '../src/pages/assets/foundation.css'), 'utf8')
const [lightBlock = '', darkBlock = ''] = [...css.matchAll(/:root \{([^}]*)\}/g)].map((match) => match[1] ?? '')
const tokensOf = (block: string): Map<string, string> =>
  new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((match) => [match[1] ?? '', match[2] ?? '']))

const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

const textPairs = [
  ...['ground', 'surface', 'raised', 'accent-soft'].flatMap((ground) => [
    ['ink', ground],
    ['ink-soft', ground],
  ]),
  ...['ground', 'surface', 'raised'].map((ground) => ['accent', ground]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['success', 'success-soft'],
  ['success', 'surface'],
  ['warning', 'warning-soft'],
  ['warning', 'surface'],
  ['danger', 'danger-soft'],
  ['danger', 'surface'],
] as const
// WCAG AA requires 3 to 1 for the edges of controls, which are not text.
const edgePairs = [
  ['line-strong', 'surface'],
  ['line-strong', 'ground'],
  ['accent', 'accent-soft'],
] as const

describe('contrast', () => {
  for (const [theme, block] of [
    ['light', lightBlock],
    ['dark', darkBlock],
  ] as const) {
    const tokens = tokensOf(block)
    const ratio = (pair: readonly string[]): number => {
      const [one, other] = pair.map((name) => tokens.get(name))
      assert.ok(one && other, `${pair.join(' on ')} is missing in ${theme}`)
      return contrast(one, other)
    }
    test(`text reaches 4.5 to 1 and control edges 3 to 1 in the ${theme} theme`, () => {
      for (const pair of textPairs) assert.ok(ratio(pair) >= 4.5, `${pair.join(' on ')}: ${ratio(pair).toFixed(2)}`)
      for (const pair of edgePairs) assert.ok(ratio(pair) >= 3, `${pair.join(' on ')}: ${ratio(pair).toFixed(2)}`)
    })
  }
})
