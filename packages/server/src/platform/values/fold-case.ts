// Text that is compared without regard to case.

/**
 * Folds the case of a text in every script, whatever the locale of the database: upper case first, because `ß`, `ς` and `ı`
 * have an upper case in common with `ss`, `σ` and `i`. NFC makes one text of the composed and the decomposed spelling.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}
