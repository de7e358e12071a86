// Draws a plain grey PNG with the size of an identity document, so that no picture is shipped.

import { crc32, deflateSync } from 'node:zlib'

const sizePixels = 320

/** A `data:` URI of a PNG. */
export function idImage(): string {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(sizePixels, 0)
  header.writeUInt32BE(sizePixels, 4)
  header.set([8, 0, 0, 0, 0], 8) // eight bits, greyscale, no interlace
  const rows = Buffer.alloc((sizePixels + 1) * sizePixels, 0xcc)
  for (let row = 0; row < sizePixels; row++) rows[row * (sizePixels + 1)] = 0 // each row opens with its filter: none
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const png = Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
  return `data:image/png;base64,${png.toString('base64')}`
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8 + body.length)
  frame.writeUInt32BE(data.length, 0)
  frame.set(body, 4)
  frame.writeUInt32BE(crc32(body), 4 + body.length)
  return frame
}
