// Pictures of papers as a camera gives them: sharp, blurred, dark, small.

import { crc32, deflateSync } from 'node:zlib'

/** Part of the file of every picture, where a camera writes the place and the time. */
export const pictureCanary = 'ZqCanaryOfThePicture'

type Picture = { name: string; mimeType: string; buffer: Buffer }

/** Lines of print on paper, in gray. */
const print = (x: number, y: number): number => (y % 24 < 12 && (x * 7 + y * 13) % 11 < 5 ? 30 : 235)

export const paperPicture = (name = 'paper.png'): Picture => picture(name, 640, 480, print)
export const blurredPicture = (): Picture =>
  picture('blurred.png', 640, 480, (x, y) => 128 + 60 * Math.sin(x / 90) * Math.cos(y / 90))
export const darkPicture = (): Picture => picture('dark.png', 640, 480, (x, y) => print(x, y) / 12)
export const smallPicture = (): Picture => picture('small.png', 120, 480, print)

/** A PDF of one empty page, filled up to a size. */
export function pdfOf(bytes: number, trailer = ''): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>',
  ]
  const parts = ['%PDF-1.7\n', `%${'-'.repeat(Math.max(0, bytes - 700))}\n`]
  const at = () => parts.join('').length
  const places = objects.map((object, index) => {
    const place = at()
    parts.push(`${index + 1} 0 obj\n${object}\nendobj\n`)
    return place
  })
  const table = at()
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    `xref\n0 4\n0000000000 65535 f \n${rows}trailer\n<< /Size 4 /Root 1 0 R ${trailer} >>\nstartxref\n${table}\n%%EOF\n`,
  )
  return Buffer.from(parts.join(''), 'latin1')
}

/** @param of the brightness of a pixel, 0 to 255 */
function picture(name: string, width: number, height: number, of: (x: number, y: number) => number): Picture {
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + x + 1] = Math.round(of(x, y))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8) // bits a pixel, gray
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const buffer = Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from(`Comment\0${pictureCanary}`)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
  return { name, mimeType: 'image/png', buffer }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
