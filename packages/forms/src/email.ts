// Email addresses. Whether one exists shows when mail arrives: this finds the slips of a keyboard.

import { broken, type Reading } from './reading.ts'
import { cleanText } from './text.ts'

/** A local part without spaces and commas, and a domain of at least two labels. */
const address = /^[^\s@,;<>()[\]]+@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u

export function readEmail(text: string): Reading {
  const value = cleanText(text)
  if (address.test(value)) return { value }
  const dotted = value.replaceAll(',', '.')
  return dotted !== value && address.test(dotted) ? broken('emailComma', { suggestion: dotted }) : broken('email')
}
