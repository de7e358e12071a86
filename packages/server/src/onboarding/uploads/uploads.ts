// Submissions that come in pieces, so that an upload over a bad network goes on where it was interrupted. They are held in the
// memory of this process and nowhere else: no other replica knows them, and the page sends a submission whole there.

import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fail } from '../../platform/errors.ts'
import { kycBody, uploads as ordinaryLimits, type UploadLimits, uploadPieceBytes } from '../../platform/http/limits.ts'

/** What a page sends in pieces of `uploadPieceBytes`, the last of which is shorter. */
export type Submission = {
  /** SHA-256 of all bytes, in lower-case hex. */
  digest: string
  bytes: number
}

/** A piece that is being read. */
export type ReadingPiece = {
  /** Keeps the piece. @returns the indices of all pieces that are there @throws ApiError `invalid_length` */
  keep(content: Buffer): number[]
  /** Ends the reading. Has an effect once. */
  end(): void
}

type Upload = Submission & { pieces: (Buffer | undefined)[]; idle: NodeJS.Timeout; usedMs: number }

const fullRetrySeconds = 10
const busyRetrySeconds = 1

/** How many pieces a submission has. */
export const piecesOf = (bytes: number): number => Math.ceil(bytes / uploadPieceBytes)

export class Uploads {
  readonly #limits: UploadLimits
  /** By the id of the link: a page has one upload. */
  readonly #byPage = new Map<string, Upload>()
  readonly #readingByPage = new Map<string, number>()
  #isClosed = false

  constructor(limits = ordinaryLimits) {
    this.#limits = limits
  }

  /** How much is taken: pieces that are there or have a place, and pieces that are being read. */
  get load(): { pages: number; places: number; reading: number } {
    const sum = (counts: number[]): number => counts.reduce((all, count) => all + count, 0)
    return {
      pages: this.#byPage.size,
      places: sum([...this.#byPage.values()].map(({ bytes }) => piecesOf(bytes))),
      reading: sum([...this.#readingByPage.values()]),
    }
  }

  /**
   * Makes room for a piece before it is read, with the first piece for the whole submission: an upload that has begun never
   * fails for want of room. Another submission of the page takes the place of the one before.
   * @throws ApiError `payload_too_large`, `invalid_path`, `uploads_full`, `rate_limited`
   */
  read(pageId: string, submission: Submission, index: number): ReadingPiece {
    const { bytesMax } = kycBody
    if (submission.bytes > bytesMax) throw fail('payload_too_large', { facts: { bytesMax } })
    const indexMax = piecesOf(submission.bytes) - 1
    const message = `index must be at most ${indexMax}.`
    if (index > indexMax)
      throw fail('invalid_path', { message, details: [{ param: 'index', code: 'invalid_value', message }] })
    const readingOfPage = this.#readingByPage.get(pageId) ?? 0
    if (readingOfPage >= this.#limits.readingOfPageMax)
      throw fail('rate_limited', { retryAfterSeconds: busyRetrySeconds })
    if (this.#isClosed || this.load.reading >= this.#limits.readingMax)
      throw fail('uploads_full', { retryAfterSeconds: busyRetrySeconds })
    const known = this.#find(pageId, submission.digest)
    const upload = known?.bytes === submission.bytes ? known : this.#begin(pageId, submission)
    this.#readingByPage.set(pageId, readingOfPage + 1)
    let isReading = true
    return {
      keep: (content) => {
        const expected = Math.min(uploadPieceBytes, upload.bytes - index * uploadPieceBytes)
        if (content.length !== expected)
          throw fail('invalid_length', { message: `The piece must have ${expected} bytes.` })
        upload.pieces[index] = content
        use(upload)
        // None is there where the upload has ended meanwhile.
        return this.indices(pageId, upload.digest)
      },
      end: () => {
        if (isReading) this.#endReading(pageId)
        isReading = false
      },
    }
  }

  /** Tells which pieces of a page's submission are there. */
  indices(pageId: string, digest: string): number[] {
    const upload = this.#find(pageId, digest)
    return upload ? upload.pieces.flatMap((piece, index) => (piece ? [index] : [])) : []
  }

  /**
   * Opens the body that the pieces make. Each piece is read in a turn of its own of the event loop: other requests go on.
   * @returns a stream that fails at its end where the pieces have another digest, and drops them
   * @throws ApiError `upload_incomplete`
   */
  open(pageId: string, digest: string): Readable {
    const upload = this.#find(pageId, digest)
    const pieces = upload?.pieces.filter((piece) => piece !== undefined) ?? []
    if (!upload || pieces.length < piecesOf(upload.bytes)) throw fail('upload_incomplete')
    use(upload)
    const drop = () => this.drop(pageId, digest)
    return Readable.from(checked(pieces, digest, drop), { objectMode: false })
  }

  /** Forgets the submission of a page. */
  drop(pageId: string, digest: string): void {
    const upload = this.#find(pageId, digest)
    if (upload) this.#end(pageId, upload)
  }

  /** Forgets everything, and takes nothing more. */
  close(): void {
    this.#isClosed = true
    for (const [pageId, upload] of this.#byPage) this.#end(pageId, upload)
  }

  /** Finds the submission of a page, and never that of another page. */
  #find(pageId: string, digest: string): Upload | undefined {
    const upload = this.#byPage.get(pageId)
    return upload?.digest === digest ? upload : undefined
  }

  #begin(pageId: string, { digest, bytes }: Submission): Upload {
    const before = this.#byPage.get(pageId)
    if (before) this.#end(pageId, before)
    this.#makeRoom(piecesOf(bytes))
    const idle = setTimeout(() => this.drop(pageId, digest), this.#limits.idleMs).unref()
    const upload = { digest, bytes, pieces: [], idle, usedMs: performance.now() }
    this.#byPage.set(pageId, upload)
    return upload
  }

  /** Makes room where there is none, at the cost of pages that have sent nothing for a while: they may be closed. */
  #makeRoom(places: number): void {
    const { piecesMax, silentMs } = this.#limits
    const silentSinceMs = performance.now() - silentMs
    for (const [pageId, upload] of [...this.#byPage].sort(([, one], [, other]) => one.usedMs - other.usedMs)) {
      if (this.load.places + places <= piecesMax || upload.usedMs > silentSinceMs) break
      this.#end(pageId, upload)
    }
    if (this.load.places + places > piecesMax) throw fail('uploads_full', { retryAfterSeconds: fullRetrySeconds })
  }

  #end(pageId: string, upload: Upload): void {
    clearTimeout(upload.idle)
    upload.pieces = []
    this.#byPage.delete(pageId)
  }

  #endReading(pageId: string): void {
    const left = (this.#readingByPage.get(pageId) ?? 1) - 1
    if (left === 0) this.#readingByPage.delete(pageId)
    else this.#readingByPage.set(pageId, left)
  }
}

function use(upload: Upload): void {
  upload.usedMs = performance.now()
  upload.idle.refresh()
}

async function* checked(pieces: readonly Buffer[], digest: string, drop: () => void): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for (const piece of pieces) {
    await nextTurn()
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') === digest) return
  drop()
  throw fail('upload_incomplete', {
    message: 'The pieces are not the submission that the digest names: they were dropped.',
  })
}
