// Pictures and documents sent as `data:` URIs: what they really are, by their first bytes, and how large.

export const documentKinds = ['png', 'jpeg', 'pdf', 'heic', 'tiff'] as const
export type DocumentKind = (typeof documentKinds)[number]

export type DataUriFault = 'not_a_data_uri' | 'not_base64' | 'unknown_kind' | 'too_large' | 'too_small'

/** On either side; the provider reads nothing off a smaller picture. */
export const pixelsMin = 200

// Long enough for every media type with parameters, short enough that a text which is no data URI is not searched.
const headerCharsMax = 200

const mediaTypes: Readonly<Record<DocumentKind, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  pdf: 'application/pdf',
  heic: 'image/heic',
  tiff: 'image/tiff',
}

/**
 * The declared media type is not looked at: clients get it wrong (`image/jpg`), the first bytes do not.
 * @returns the same with the media type that it has
 */
export function readDataUri(
  text: string,
  bytesMax: number,
): { ok: true; kind: DocumentKind; uri: string } | { ok: false; fault: DataUriFault } {
  const header = /^data:[^,]*;base64,/i.exec(text.slice(0, headerCharsMax))?.[0]
  if (header === undefined) return { ok: false, fault: 'not_a_data_uri' }
  const data = text.slice(header.length)
  const bytes = base64Bytes(data)
  if (bytes === null) return { ok: false, fault: 'not_base64' }
  if (bytes > bytesMax) return { ok: false, fault: 'too_large' }
  const beginning = Buffer.from(data.slice(0, beginningChars), 'base64')
  const kind = kindOf(beginning)
  if (kind === null) return { ok: false, fault: 'unknown_kind' }
  const size = sizeOf(kind, beginning)
  if (size !== null && Math.min(...size) < pixelsMin) return { ok: false, fault: 'too_small' }
  return { ok: true, kind, uri: `data:${mediaTypes[kind]};base64,${data}` }
}

// A photo's own description comes first and has up to 64 KiB, as has a preview within it.
const beginningChars = 4 * 65_536

/** Width and height in pixels, as far as the beginning tells; null where it does not. */
function sizeOf(kind: DocumentKind, bytes: Buffer): readonly [number, number] | null {
  if (kind === 'png') return bytes.length < 24 ? null : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  return kind === 'jpeg' ? sizeOfJpeg(bytes) : null
}

/** A JPEG is a row of segments: 0xff, what it is, its length. The size stands in the frame's (0xc0 to 0xcf but for three). */
function sizeOfJpeg(bytes: Buffer): readonly [number, number] | null {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
  }
  return null
}

/** How many bytes a standard, padded base64 text stands for; null when it is none. */
function base64Bytes(data: string): number | null {
  if (data.length % 4 !== 0) return null
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  // A search for one wrong character: a pattern for the whole text would keep 13 million steps to go back to.
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
