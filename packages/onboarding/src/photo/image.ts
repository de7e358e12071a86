// A picture of a paper: made small enough to be sent over a slow network, and judged for size, light and sharpness.

import type { Paper } from '../form/questions.ts'

/** The provider recognises nothing on a smaller picture. */
export const pixelsMin = 200
/** Of the longer side: enough to read a paper, and some 500 kB as JPEG. */
const pixelsMax = 2_000
const jpegQuality = 0.85
/** Of the sample in which light and sharpness are measured. */
const samplePixels = 400
/** Variance of the Laplacian below which no print can be read. */
const sharpnessMin = 40
/** Mean brightness, of 255. */
const brightnessMin = 40

export type Flaw = 'small' | 'dark' | 'blurred'

/** @throws Error when the browser cannot read the picture */
export async function readPicture(source: Blob): Promise<ImageBitmap> {
  return await createImageBitmap(source, { imageOrientation: 'from-image' })
}

/** Finds what keeps a picture from being read; null where nothing does. */
export function flawOf(picture: ImageBitmap | HTMLVideoElement): Flaw | null {
  const [width, height] = sizeOf(picture)
  if (Math.min(width, height) < pixelsMin) return 'small'
  const gray = grayOf(picture)
  if (meanOf(gray.values) < brightnessMin) return 'dark'
  return sharpnessOf(gray) < sharpnessMin ? 'blurred' : null
}

/** Draws a picture as a JPEG of at most `pixelsMax` on its longer side, without the place and time that a camera adds. */
export function paperOf(picture: ImageBitmap | HTMLVideoElement, name: string): Paper {
  const canvas = drawn(picture, pixelsMax)
  return { name, type: 'image/jpeg', uri: canvas.toDataURL('image/jpeg', jpegQuality) }
}

const sizeOf = (picture: ImageBitmap | HTMLVideoElement): readonly [number, number] =>
  picture instanceof HTMLVideoElement ? [picture.videoWidth, picture.videoHeight] : [picture.width, picture.height]

function drawn(picture: ImageBitmap | HTMLVideoElement, pixels: number): HTMLCanvasElement {
  const [width, height] = sizeOf(picture)
  const scale = Math.min(1, pixels / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return canvas
}

type Gray = { values: Float32Array; width: number; height: number }

function grayOf(picture: ImageBitmap | HTMLVideoElement): Gray {
  const { width, height, ...canvas } = sampleOf(picture)
  const values = new Float32Array(width * height)
  // Luma of ITU-R BT.601.
  for (let at = 0; at < values.length; at++)
    values[at] =
      0.299 * (canvas.data[at * 4] ?? 0) + 0.587 * (canvas.data[at * 4 + 1] ?? 0) + 0.114 * (canvas.data[at * 4 + 2] ?? 0)
  return { values, width, height }
}

function sampleOf(picture: ImageBitmap | HTMLVideoElement): { data: Uint8ClampedArray; width: number; height: number } {
  const canvas = drawn(picture, samplePixels)
  const { width, height } = canvas
  const data = canvas.getContext('2d', { willReadFrequently: true })?.getImageData(0, 0, width, height).data
  return { data: data ?? new Uint8ClampedArray(), width, height }
}

const meanOf = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** The variance of the Laplacian: large where there are edges, small where they are blurred. */
function sharpnessOf({ values, width, height }: Gray): number {
  const edges = new Float32Array(Math.max(0, (width - 2) * (height - 2)))
  let count = 0
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x
      const around = (values[at - 1] ?? 0) + (values[at + 1] ?? 0) + (values[at - width] ?? 0) + (values[at + width] ?? 0)
      edges[count++] = around - 4 * (values[at] ?? 0)
    }
  const mean = meanOf(edges)
  return meanOf(edges.map((edge) => (edge - mean) ** 2))
}
