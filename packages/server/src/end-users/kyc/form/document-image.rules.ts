// Images and documents sent as `data:` URIs, checked by their first bytes and their size.

import { type PdfFault, pdfFault } from '../../../../../forms/src/pdf.ts'
import type { FormSchema, Reader, Violation } from './form.rules.ts'

export type DocumentKind = keyof typeof mediaTypes

/** Width and height; on a smaller image the provider recognizes nothing. */
export const pixelsMin = 200

// Long enough for every media type with parameters; the rest of a long text without a header is not searched.
const headerCharsMax = 200

const mediaTypes = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  pdf: 'application/pdf',
  heic: 'image/heic',
  tiff: 'image/tiff',
} as const

export function document(kinds: readonly DocumentKind[], bytesMax: number): FormSchema {
  const description = `a data URI in base64 (${kinds.join(', ')}, detected from the first bytes) of at most ${bytesMax} bytes`
  // No `minLength`: the validator would count the characters of 14 MiB to find that there are any.
  return { type: 'string', description, reads: documentReader(kinds, bytesMax) }
}

/**
 * Creates the reader of a `data:` URI. The declared media type is ignored: clients get it wrong (`image/jpg`).
 * @returns a reader that returns the URI with the media type of its first bytes, or the rule that the URI breaks
 */
export function documentReader(kinds: readonly DocumentKind[], bytesMax: number): Reader {
  return (text) => {
    const header = /^data:[^,]*;base64,/i.exec(text.slice(0, headerCharsMax))?.[0]
    if (header === undefined) return ['invalid_format', 'must be a data URI in base64: data:<media type>;base64,<data>']
    const data = text.slice(header.length)
    const bytes = base64Bytes(data)
    if (bytes === null) return ['invalid_format', 'must be padded standard base64 without line breaks']
    if (bytes > bytesMax) return ['invalid_length', `must have at most ${bytesMax} bytes`]
    const beginning = Buffer.from(data.slice(0, beginningChars), 'base64')
    const kind = kindOf(beginning)
    if (kind === null || !kinds.includes(kind))
      return ['invalid_format', `must be a ${kinds.join(', ')} file, going by its first bytes`]
    if (Math.min(...(sizeOf(kind, beginning) ?? [pixelsMin])) < pixelsMin)
      return ['invalid_value', `must be a picture of at least ${pixelsMin} by ${pixelsMin} pixels`]
    const fault = kind === 'pdf' ? pdfFault(bytes, (from, to) => latin1Part(data, from, to)) : null
    if (fault !== null) return pdfRules[fault]
    return `data:${mediaTypes[kind]};base64,${data}`
  }
}

const pdfRules: Readonly<Record<PdfFault, Violation>> = {
  locked: ['invalid_value', 'must be a PDF without a password'],
  broken: ['invalid_format', 'must be a whole PDF: this file is damaged, or its end is missing'],
}

/** Decodes only a part: four characters of base64 hold three bytes. */
function latin1Part(data: string, from: number, to: number): string {
  const first = Math.floor(from / 3)
  const bytes = Buffer.from(data.slice(first * 4, Math.ceil(to / 3) * 4), 'base64')
  return bytes.subarray(from - first * 3, to - first * 3).toString('latin1')
}

// The metadata segments in front of a photo's size have up to 64 KiB each.
const beginningChars = 4 * 65_536

/** Reads width and height in pixels; null if the beginning of the file does not contain them. */
function sizeOf(kind: DocumentKind, bytes: Buffer): readonly [number, number] | null {
  if (kind === 'png') return bytes.length < 24 ? null : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  return kind === 'jpeg' ? sizeOfJpeg(bytes) : null
}

/**
 * A JPEG is a sequence of segments: 0xff, marker, length. The frame has the size (markers 0xc0 to 0xcf except three).
 */
function sizeOfJpeg(bytes: Buffer): readonly [number, number] | null {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
  }
  return null
}

/** Counts the bytes of a standard, padded base64 text; null for any other text. */
function base64Bytes(data: string): number | null {
  if (data.length % 4 !== 0) return null
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  // A search for one wrong character: a pattern for the whole text would keep 13 million backtracking steps.
  if (/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - padding))) return null
  return (data.length / 4) * 3 - padding
}

const heicBrands: ReadonlySet<string> = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1'])

function kindOf(bytes: Buffer): DocumentKind | null {
  const starts = (signature: string) => bytes.subarray(0, signature.length).equals(Buffer.from(signature, 'latin1'))
  if (starts('\x89PNG\r\n\x1a\n')) return 'png'
  if (starts('\xff\xd8\xff')) return 'jpeg'
  if (starts('%PDF-')) return 'pdf'
  if (starts('II*\0') || starts('MM\0*')) return 'tiff'
  const isMedia = bytes.subarray(4, 8).toString('latin1') === 'ftyp'
  return isMedia && heicBrands.has(bytes.subarray(8, 12).toString('latin1')) ? 'heic' : null
}
