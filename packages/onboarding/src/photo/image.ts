// A picture of a paper: made small enough to be sent over a slow network, and judged for size, light and sharpness.

import { pdfFault } from '../../../forms/src/pdf.ts'
import type { Paper } from '../form/question.ts'

/** The provider recognises nothing on a smaller picture. */
export const pixelsMin = 200
/** Limit for a file that is sent unchanged. */
export const bytesMax = 10 * 1024 * 1024
/** Longer side: enough to read a document, and about 500 kB as JPEG. */
const pixelsMax = 2_000
const jpegQuality = 0.85
/** Size of the sample that measures light and sharpness. */
const samplePixels = 400
/** Variance of the Laplacian below which no print can be read. */
const sharpnessMin = 40
/** Mean brightness, of 255. */
const brightnessMin = 40

/** Reasons why a picture may be unreadable. */
export type Flaw = 'dark' | 'blurred'
/** Why a file cannot be sent. */
export type Wrong = 'small' | 'large' | 'wrongType' | 'empty' | 'unreadable' | 'pdfLocked' | 'pdfBroken'

/** Kinds that the provider accepts although a browser may not display them, by their first bytes. */
const sentAsItIs: readonly (readonly [type: string, begins: RegExp])[] = [
  ['application/pdf', /^%PDF-/],
  ['image/heic', /^....ftyp(heic|heix|hevc|heim|heis|mif1|msf1)/s],
  ['image/tiff', /^(II\*\0|MM\0\*)/],
]

/** JPEG, PNG, GIF, WebP: a picture that the browser cannot draw is damaged, or has too many pixels for it. */
const drawable = /^(\xff\xd8\xff|\x89PNG|GIF8|RIFF....WEBP)/s

export type Judged = { paper: Paper; flaw: Flaw | null; wrong: null } | { paper: null; flaw: null; wrong: Wrong }

const refused = (wrong: Wrong): Judged => ({ paper: null, flaw: null, wrong })

/**
 * Judges a file by what is in it, not by its name or by what it says it is. A picture becomes a JPEG of at most `pixelsMax`, without
 * the place and the time that a camera adds.
 */
export async function judgePaper(source: Blob, name: string): Promise<Judged> {
  const picture = await createImageBitmap(source, { imageOrientation: 'from-image' }).catch(() => null)
  if (picture === null) return await judgeFile(source, name)
  if (Math.min(picture.width, picture.height) < pixelsMin) return refused('small')
  const uri = drawn(picture, pixelsMax).toDataURL('image/jpeg', jpegQuality)
  return { paper: { name, type: 'image/jpeg', uri }, flaw: flawOf(picture), wrong: null }
}

async function judgeFile(source: Blob, name: string): Promise<Judged> {
  const beginning = String.fromCharCode(...new Uint8Array(await source.slice(0, 16).arrayBuffer()))
  const type = sentAsItIs.find(([, begins]) => begins.test(beginning))?.[0]
  if (source.size === 0) return refused('empty')
  if (type === undefined) return refused(drawable.test(beginning) ? 'unreadable' : 'wrongType')
  if (source.size > bytesMax) return refused('large')
  const fault = type === 'application/pdf' ? await faultOfPdf(source) : null
  if (fault !== null) return refused(fault === 'locked' ? 'pdfLocked' : 'pdfBroken')
  return { paper: { name, type, uri: await uriOf(source, type) }, flaw: null, wrong: null }
}

async function faultOfPdf(source: Blob) {
  const bytes = new Uint8Array(await source.arrayBuffer())
  const latin1 = new TextDecoder('latin1')
  return pdfFault(bytes.length, (from, to) => latin1.decode(bytes.subarray(from, to)))
}

function uriOf(source: Blob, type: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, `data:${type};base64,`))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(source)
  })
}

function flawOf(picture: ImageBitmap): Flaw | null {
  const gray = grayOf(picture)
  if (meanOf(gray.values) < brightnessMin) return 'dark'
  return sharpnessOf(gray) < sharpnessMin ? 'blurred' : null
}

function drawn(picture: ImageBitmap, pixels: number): HTMLCanvasElement {
  const scale = Math.min(1, pixels / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(picture.width * scale)
  canvas.height = Math.round(picture.height * scale)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context) {
    // Transparent parts of a PNG would turn black.
    context.fillStyle = '#ffffff'
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  }
  return canvas
}

type Gray = { values: Float32Array; width: number; height: number }

function grayOf(picture: ImageBitmap): Gray {
  const canvas = drawn(picture, samplePixels)
  const { width, height } = canvas
  const data = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray()
  const luma = (at: number): number =>
    // Of ITU-R BT.601.
    0.299 * (data[at * 4] ?? 0) + 0.587 * (data[at * 4 + 1] ?? 0) + 0.114 * (data[at * 4 + 2] ?? 0)
  return { values: Float32Array.from({ length: width * height }, (_, at) => luma(at)), width, height }
}

const meanOf = (values: Float32Array): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** The variance of the Laplacian: large where there are edges, small where they are blurred. */
function sharpnessOf({ values, width, height }: Gray): number {
  const edges = new Float32Array(Math.max(0, (width - 2) * (height - 2)))
  let count = 0
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x
      const around =
        (values[at - 1] ?? 0) + (values[at + 1] ?? 0) + (values[at - width] ?? 0) + (values[at + width] ?? 0)
      edges[count++] = around - 4 * (values[at] ?? 0)
    }
  const mean = meanOf(edges)
  return meanOf(edges.map((edge) => (edge - mean) ** 2))
}
