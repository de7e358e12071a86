// Whether a PDF can be opened: whole, and without a password. The ends of the file tell it, so no page of it is read.

export type PdfFault = 'broken' | 'locked'

/** A part that holds the cross-reference table of an ordinary paper, and its trailer. */
const partBytes = 64 * 1024

/**
 * Finds the trailer by the last `startxref` of the file (ISO 32000-1, 7.5.5). Since PDF 1.5 the trailer can be the dictionary of a
 * stream, which is never compressed itself (7.5.8). A locked file has `/Encrypt` there (7.6.1), also if only its owner has a password.
 *
 * @param read gives a part of the file, each byte as one character
 */
export function pdfFault(size: number, read: (from: number, to: number) => string): PdfFault | null {
  const end = read(Math.max(0, size - partBytes), size)
  const place = [...end.matchAll(/startxref\s+(\d{1,12})\s+%%EOF/g)].at(-1)?.[1]
  // Readers look for the mark in the first 1,024 bytes (annex H).
  if (place === undefined || Number(place) >= size || !read(0, 1_024).includes('%PDF-')) return 'broken'
  const table = read(Number(place), Math.min(size, Number(place) + partBytes))
  const stream = /^\s*\d+\s+\d+\s+obj\s*<<.*?\bstream\b/s.exec(table)?.[0] ?? ''
  const trailers = [...`${table}\n${end}`.matchAll(/\btrailer\s*<<.{0,4096}?\bstartxref\b/gs)].map(
    ([trailer]) => trailer,
  )
  return [stream, ...trailers].some((dictionary) => /\/Encrypt\s*(\d+\s+\d+\s+R|<<)/.test(dictionary)) ? 'locked' : null
}
