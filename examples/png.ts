// Creates a picture in place of a passport photo: one color, valid for every decoder.

import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A grey picture. `pixels` is its width and height. */
export function png(pixels: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(pixels, 0)
  header.writeUInt32BE(pixels, 4)
  header[8] = 8 // bits of a pixel; the zeros that follow mean grey, deflate, no filter, not interlaced

  const row = Buffer.alloc(1 + pixels, 0xcc)
  row[0] = 0 // each row begins with its filter: none
  const rows = Buffer.concat(Array.from({ length: pixels }, () => row))

  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'ascii'), data])
  const out = Buffer.alloc(8 + typed.length)
  out.writeUInt32BE(data.length, 0)
  typed.copy(out, 4)
  out.writeUInt32BE(crc32(typed), 4 + typed.length)
  return out
}

/** As the KYC body takes images: `data:image/png;base64,…`. */
export const dataUri = (image: Buffer): string => `data:image/png;base64,${image.toString('base64')}`
