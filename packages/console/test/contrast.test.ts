// The contrast that the page of the branding shows is the one by which the server judges.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { contrastViolations } from '../../server/src/onboarding/branding.rules.ts'
import { contrastMin, contrastOf, contrastWords, readableOn } from '../src/features/branding/contrast.ts'

const color = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

test('a color can be read here if, and only if, the server takes it', () => {
  fc.assert(
    fc.property(color, color, (text, background) => {
      const isTaken = contrastViolations({ primary: text, background, text }).length === 0
      assert.equal(contrastOf(text, background) >= contrastMin, isTaken)
    }),
  )
})

test('text on a button is whichever of black and white can be read', () => {
  fc.assert(
    fc.property(color, (primary) => {
      assert.ok(contrastOf(readableOn(primary), primary) >= contrastMin)
    }),
  )
})

test('a contrast is told cut, not rounded', () => {
  assert.equal(contrastWords(contrastOf('#000000', '#ffffff')), '21.0\u00a0:\u00a01')
  assert.equal(contrastWords(4.49), '4.4\u00a0:\u00a01')
})
