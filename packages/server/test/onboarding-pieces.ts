// A submission in pieces, as the page of a link sends it; and another replica, with bounds of its own.

import { createHash } from 'node:crypto'
import { request as rawRequest } from 'node:http'
import { idImage } from '../../cli/src/demo/image.ts'
import { createApp } from '../src/app/http-server.ts'
import { createEventReaders } from '../src/events/readers.ts'
import { piecesOf, Uploads } from '../src/onboarding/uploads/uploads.ts'
import { type UploadLimits, uploadPieceBytes, uploads } from '../src/platform/http/limits.ts'
import type { Page } from './onboarding-page.ts'
import { type Answer, kycBody, type TestWorld } from './test-world.ts'

export type Pieces = { text: string; digest: string; bytes: number; pieces: Buffer[] }

export const png = Buffer.from(idImage().split(',')[1] ?? '', 'base64')

/** A picture of any size, each another one. */
export function imageOf(bytes: number, fill = 0): string {
  const content = Buffer.alloc(bytes, fill)
  content.set(png)
  return `data:image/png;base64,${content.toString('base64')}`
}

/** A complete submission with two pictures of this size. */
export function largeBody(agreement: string | null, mail: string, imageBytes = 600_000): Record<string, unknown> {
  const body = kycBody(agreement, mail)
  const [taxId, license] = body['identifying_information'] as Record<string, unknown>[]
  const images = { image_front: imageOf(imageBytes, 1), image_back: imageOf(imageBytes, 2) }
  return { ...body, identifying_information: [taxId, { ...license, ...images }] }
}

export function inPieces(body: unknown): Pieces {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all = Buffer.from(text)
  const pieces = Array.from({ length: piecesOf(all.length) }, (_, index) =>
    all.subarray(index * uploadPieceBytes, (index + 1) * uploadPieceBytes),
  )
  return { text, digest: createHash('sha256').update(all).digest('hex'), bytes: all.length, pieces }
}

export const pathOf = ({ digest, bytes }: Pick<Pieces, 'digest' | 'bytes'>, index: number | string): string =>
  `/uploads/${digest}/${index}?bytes=${bytes}`

export const asBytes = { 'content-type': 'application/octet-stream' }

export function put(page: Page, upload: Pieces, index: number, content = upload.pieces[index]): Promise<Answer> {
  return page.ask('PUT', pathOf(upload, index), undefined, { raw: content ?? Buffer.alloc(0), headers: asBytes })
}

export async function putAll(page: Page, upload: Pieces): Promise<void> {
  for (const index of upload.pieces.keys()) {
    const answer = await put(page, upload, index)
    if (answer.status !== 200) throw new Error(`piece ${index} was not taken: ${answer.text}`)
  }
}

export const submitPieces = (page: Page, { digest }: Pick<Pieces, 'digest'>): Promise<Answer> =>
  page.ask('POST', `/submission?upload=${digest}`)

/** Begins to send a piece, and goes on when it is told to: to the end, or away. */
export function beginPiece(url: string, page: Page, upload: Pieces, index: number): { leave(): void } {
  const piece = upload.pieces[index] ?? Buffer.alloc(0)
  const headers = { ...asBytes, authorization: `Bearer ${page.token}`, 'content-length': piece.length }
  const request = rawRequest(`${url}/onboard/api${pathOf(upload, index)}`, { method: 'PUT', headers })
  request.on('error', () => {}) // it is cut by this side
  request.write(piece.subarray(0, piece.length / 2))
  return { leave: () => request.destroy() }
}

export type Replica = { url: string; uploads: Uploads; close(): Promise<void> }

/** Another replica on the same database, which shares no memory with the first. */
export async function startReplica({ server }: TestWorld, limits: Partial<UploadLimits> = {}): Promise<Replica> {
  const own = new Uploads({ ...uploads, ...limits })
  const readers = { eventReaders: createEventReaders(), pageReaders: createEventReaders() }
  const app = await createApp({ ...server.deps, ...readers, uploads: own })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { url: app.listeningOrigin, uploads: own, close: () => app.close() }
}
