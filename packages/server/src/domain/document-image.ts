// Pictures and documents sent as `data:` URIs: what they really are, by their first bytes, and how large.

export const documentKinds = ['png', 'jpeg', 'pdf', 'heic', 'tiff'] as const
export type DocumentKind = (typeof documentKinds)[number]

export type DataUriFault = 'not_a_data_uri' | 'not_base64' | 'unknown_kind' | 'too_large'

// Long enough for every media type with parameters, short enough that a text which is no data URI is not searched.
const headerCharsMax = 200

/** The declared media type is not looked at: clients get it wrong (`image/jpg`), the first bytes do not. */
export function readDataUri(
  text: string,
  bytesMax: number,
): { ok: true; kind: DocumentKind; bytes: number } | { ok: false; fault: DataUriFault } {
  const header = /^data:[^,]*;base64,/i.exec(text.slice(0, headerCharsMax))?.[0]
  if (header === undefined) return { ok: false, fault: 'not_a_data_uri' }
  const data = text.slice(header.length)
  const bytes = base64Bytes(data)
  if (bytes === null) return { ok: false, fault: 'not_base64' }
  if (bytes > bytesMax) return { ok: false, fault: 'too_large' }
  const kind = kindOf(Buffer.from(data.slice(0, 64), 'base64'))
  return kind === null ? { ok: false, fault: 'unknown_kind' } : { ok: true, kind, bytes }
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
