// The rule of an uploaded file, judged by its header: data URI, declared type, real type, size in bytes and in pixels.
import type { Rule } from '../../../platform/fields.ts'

export type FileLimits = { types: readonly string[]; bytesMax: number }

const pixelsMin = 200

/** A JPEG may have long metadata before its dimensions. Beyond this limit the dimensions count as unknown. */
const headerBytesMax = 256 * 1024

const extensionOf: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/heic': 'heic',
  'image/heif': 'heif',
  'image/tiff': 'tif',
  'image/tif': 'tif',
  'application/pdf': 'pdf',
}

/** Makes the rule of a base64 data URI whose content has the declared type and, for PNG and JPEG, enough pixels. */
export const dataUri =
  (limits: FileLimits): Rule<string> =>
  (value, path, problems) => {
    const complaint = typeof value === 'string' ? complaintAbout(value, limits) : 'must be a data URI'
    if (complaint) problems[path] ??= complaint
    return String(value)
  }

const complaintAbout = (uri: string, { types, bytesMax }: FileLimits): string | undefined => {
  const [, mediaType = '', base64] = /^data:([a-z]+\/[a-z]+);base64,([A-Za-z0-9+/]+={0,2})$/.exec(uri) ?? []
  if (base64 === undefined) return 'must be a base64 data URI'
  const type = extensionOf[mediaType]
  if (type === undefined || !types.includes(type)) return `must be one of ${types.join(', ')}`
  if ((base64.length * 3) / 4 > bytesMax) return `must not be larger than ${bytesMax / 1024 / 1024} MB`
  const header = Buffer.from(base64.slice(0, Math.ceil(headerBytesMax / 3) * 4), 'base64')
  if (!beginsAs(header, type)) return `is not a ${type} file`
  const size = type === 'png' ? pngSize(header) : type === 'jpeg' ? jpegSize(header) : undefined
  if (size && Math.min(size.width, size.height) < pixelsMin) return `must be at least ${pixelsMin}x${pixelsMin} pixels`
  return undefined
}

const beginsAs = (bytes: Buffer, type: string): boolean => {
  const start = bytes.subarray(0, 12).toString('latin1')
  if (type === 'png') return start.startsWith('\x89PNG\r\n\x1a\n')
  if (type === 'jpeg') return start.startsWith('\xff\xd8\xff')
  if (type === 'pdf') return start.startsWith('%PDF-')
  if (type === 'tif') return start.startsWith('II*\0') || start.startsWith('MM\0*')
  return start.slice(4, 8) === 'ftyp'
}

type Size = { width: number; height: number }

const pngSize = (bytes: Buffer): Size | undefined =>
  bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }

// Follows the segments to the frame header (SOF0..SOF15 without DHT, JPG and DAC), which has the dimensions.
const jpegSize = (bytes: Buffer): Size | undefined => {
  let offset = 2
  while (offset + 9 < bytes.length && bytes[offset] === 0xff) {
    const marker = bytes.readUInt8(offset + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(offset + 7), height: bytes.readUInt16BE(offset + 5) }
    offset += 2 + bytes.readUInt16BE(offset + 2)
  }
  return undefined
}
