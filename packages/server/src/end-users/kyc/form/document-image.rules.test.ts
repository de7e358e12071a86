// Pictures are judged by their bytes: kind, size in bytes and in pixels; and sent on as what they are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DocumentKind, documentReader } from './document-image.rules.ts'

const uri = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`
const limit = 1_000_000

function png(width: number, height: number): Buffer {
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([head, size, Buffer.alloc(40)])
}

/** @param before bytes of other segments in front of the frame, as cameras write them */
function jpeg(width: number, height: number, before: number, marker = 0xc0): Buffer {
  const other = Buffer.alloc(before + 4)
  other.writeUInt16BE(0xffe1, 0)
  other.writeUInt16BE(before + 2, 2)
  const frame = Buffer.from([0xff, marker, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3])
  return Buffer.concat([Buffer.from([0xff, 0xd8]), other, frame, Buffer.alloc(40)])
}

const emptyPdf = (entry = '') =>
  `%PDF-1.7\n%${' '.repeat(200_000)}\nxref\n0 1\ntrailer\n<< /Size 1 ${entry} >>\nstartxref\n200011\n%%EOF\n`

const anyKind: readonly DocumentKind[] = ['png', 'jpeg', 'pdf', 'tiff', 'heic']
const read = documentReader(anyKind, limit)

const faultOf = (bytes: Buffer) => {
  const found = read(uri(bytes), 0)
  if (typeof found === 'string') return null
  return found[0] === 'invalid_value' ? 'too_small' : found[0]
}

test('a picture needs 200 pixels on both sides', () => {
  for (const [width, height] of [
    [200, 200],
    [4_000, 3_000],
    [200, 70_000],
  ] as const) {
    assert.equal(faultOf(png(width, height)), null)
    if (height < 65_536)
      for (const before of [0, 10, 60_000]) assert.equal(faultOf(jpeg(width, height, before)), null, `${before}`)
  }
  for (const [width, height] of [
    [199, 4_000],
    [4_000, 199],
    [1, 1],
    [0, 0],
  ] as const) {
    assert.equal(faultOf(png(width, height)), 'too_small')
    for (const marker of [0xc0, 0xc2, 0xcf]) assert.equal(faultOf(jpeg(width, height, 60_000, marker)), 'too_small')
  }
})

test('what does not tell its size is not refused for it, and nothing is read beyond its end', () => {
  assert.equal(faultOf(png(1, 1).subarray(0, 20)), null)
  assert.equal(faultOf(Buffer.from([0xff, 0xd8, 0xff])), null)
  assert.equal(faultOf(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, 0]), Buffer.alloc(20)])), null)
  assert.equal(faultOf(jpeg(1, 1, 0, 0xc4)), null)
  assert.equal(faultOf(Buffer.from(emptyPdf())), null)
})

test('the media type that goes on is the one it has', () => {
  for (const [bytes, type] of [
    [png(300, 300), 'image/png'],
    [jpeg(300, 300, 5), 'image/jpeg'],
    [Buffer.from(emptyPdf()), 'application/pdf'],
    [Buffer.from('II*\0abcd', 'latin1'), 'image/tiff'],
    [Buffer.from('\0\0\0\x18ftypheic', 'latin1'), 'image/heic'],
  ] as const) {
    for (const called of [type, 'image/jpg', 'application/octet-stream', 'text/html']) {
      assert.equal(read(uri(bytes, called), 0), uri(bytes, type))
    }
  }
})

test('a brand of HEIC counts in a media file alone', () => {
  assert.equal(faultOf(Buffer.from('\0\0\0\x18ftypheic', 'latin1')), null)
  for (const bytes of ['\0\0\0\x18freeheic', '\0\0\0\x18ftypmp42'])
    assert.equal(faultOf(Buffer.from(bytes, 'latin1')), 'invalid_format')
})

test('a text that is no base64 is refused, also behind the first bytes of a picture', () => {
  const whole = uri(png(300, 300).subarray(0, 63))
  assert.equal(typeof read(whole, 0), 'string')
  for (const end of ['AA-_', 'A AA', 'A\nAA', 'A=AA', 'A', '===='])
    assert.equal(typeof read(`${whole.slice(0, -4)}${end}`, 0), 'object', JSON.stringify(end))
})

test('a PDF that is cut or needs a password is refused, and the rule says which', () => {
  const told = (text: string) => read(uri(Buffer.from(text)), 0)
  assert.equal(typeof told(emptyPdf()), 'string')
  assert.deepEqual(told(emptyPdf('/Encrypt 5 0 R')), ['invalid_value', 'must be a PDF without a password'])
  for (const length of [9, 100_000, 200_050]) {
    const [code, rule] = told(emptyPdf().slice(0, length))
    assert.equal(code, 'invalid_format')
    assert.match(String(rule), /must be a whole PDF/)
  }
})
