// A large submission on its way in pieces over a network that comes and goes. What has arrived is not sent again; nothing is
// kept in the browser.

/** As the server takes them. */
const pieceBytes = 256 * 1024
/** A submission up to this size is sent whole. */
const wholeBytesMax = 2 * pieceBytes
/** Pieces under way at once: while one waits for its answer the other uses the line. */
const lanesMax = 2
/** As long as the server reads a piece, and a little more. */
const pieceMsMax = 65_000
const pauseMsMax = 15_000
/** How long no piece may arrive before the submission is given up. */
const silenceMsMax = 5 * 60_000
/** How often another server may have answered, which has none of the pieces: then they never come together. */
const strayAnswersMax = 4
const fullAnswersMax = 3

/** Sends a piece, or asks which are there. @returns null where no answer came in time */
export type SendPiece = (path: string, piece: Blob | null, signal: AbortSignal) => Promise<Response | null>

type Options = {
  onProgress: (sentBytes: number, allBytes: number) => void
  /** Ends sooner when the connection is back. */
  pause: (ms: number) => Promise<void>
}

/**
 * Sends the pieces of a submission that are not there yet, and repeats those that got no answer.
 * @returns the digest by which the submission is told to use them; null where it is to be sent whole: it is small, the page
 *   cannot make digests (it was not opened by https), or the pieces do not come together
 */
export async function uploadPieces(body: string | Blob, send: SendPiece, options: Options): Promise<string | null> {
  const blob = typeof body === 'string' ? new Blob([body]) : body
  // Absent outside of secure contexts, whatever the types say.
  const subtle = globalThis.crypto.subtle as typeof crypto.subtle | undefined
  if (blob.size <= wholeBytesMax || subtle === undefined) return null
  const digest = hexOf(await subtle.digest('SHA-256', await blob.arrayBuffer()))
  return (await new Upload(blob, digest, send, options).run()) ? digest : null
}

class Upload {
  readonly #blob: Blob
  readonly #path: string
  readonly #send: SendPiece
  readonly #options: Options
  readonly #count: number
  #arrived: ReadonlySet<number> = new Set()
  readonly #underWay = new Set<number>()
  #lanes = 0
  /** A piece had to be repeated, or came to another server. */
  #isPoor = false
  #strayAnswers = 0
  #fullAnswers = 0
  #arrivedMs = performance.now()
  #isGivenUp = false

  constructor(blob: Blob, digest: string, send: SendPiece, options: Options) {
    this.#blob = blob
    this.#path = `/uploads/${digest}`
    this.#send = send
    this.#options = options
    this.#count = Math.ceil(blob.size / pieceBytes)
  }

  /** @returns whether all pieces are there */
  async run(): Promise<boolean> {
    await this.#ask(null)
    await Promise.all(Array.from({ length: lanesMax }, () => this.#lane()))
    return this.#arrived.size === this.#count
  }

  async #lane(): Promise<void> {
    this.#lanes++
    for (let failures = 0; !this.#isGivenUp; ) {
      const index = this.#next()
      // Two connections may lead to two servers, and share a line that is too slow for both: one goes on alone.
      if (index === undefined || (this.#isPoor && this.#lanes > 1)) break
      this.#underWay.add(index)
      let retryMs = await this.#ask(index)
      if (retryMs === null) failures = 0
      else this.#isPoor = true
      // A piece whose answer was lost may have arrived all the same.
      while (retryMs !== null && !this.#isGivenUp) {
        await this.#options.pause(Math.min(Math.max(retryMs, 500 * 2 ** failures++), pauseMsMax))
        retryMs = await this.#ask(null)
      }
      this.#underWay.delete(index)
    }
    this.#lanes--
  }

  #next(): number | undefined {
    const isOpen = (index: number): boolean => !this.#arrived.has(index) && !this.#underWay.has(index)
    return Array.from({ length: this.#count }, (_, index) => index).find(isOpen)
  }

  /**
   * Sends a piece, or with null asks which are there.
   * @returns null where it was answered; else how long the server asks to wait, in milliseconds
   */
  async #ask(index: number | null): Promise<number | null> {
    const before = this.#arrived
    const path = index === null ? this.#path : `${this.#path}/${index}?bytes=${this.#blob.size}`
    const piece = index === null ? null : this.#blob.slice(index * pieceBytes, (index + 1) * pieceBytes)
    const answer = await this.#send(path, piece, AbortSignal.timeout(pieceMsMax))
    const told = await readAnswer(answer)
    if (told !== null && answer?.ok) {
      this.#learn(told.data?.pieces ?? [], before)
      return null
    }
    if (told?.error?.code === 'uploads_full') this.#fullAnswers++
    const mayRepeat = answer === null || answer.ok || answer.status >= 500 || [408, 429].includes(answer.status)
    const isStuck = performance.now() - this.#arrivedMs > silenceMsMax
    // What the server has against the submission it says when the submission comes whole.
    if (!mayRepeat || isStuck || this.#fullAnswers >= fullAnswersMax) this.#isGivenUp = true
    return Number(answer?.headers.get('retry-after') ?? 0) * 1_000
  }

  /** @param before what was there for certain when the server was asked */
  #learn(pieces: readonly number[], before: ReadonlySet<number>): void {
    if (pieces.some((index) => !this.#arrived.has(index))) this.#arrivedMs = performance.now()
    const isStray = [...before].some((index) => !pieces.includes(index))
    this.#arrived = new Set(isStray ? pieces : [...this.#arrived, ...pieces])
    if (isStray) {
      this.#isPoor = true
      this.#isGivenUp ||= ++this.#strayAnswers >= strayAnswersMax
    }
    const sentBytes = Math.min(this.#arrived.size * pieceBytes, this.#blob.size)
    this.#options.onProgress(sentBytes, this.#blob.size)
  }
}

type Told = { data?: { pieces: number[] }; error?: { code: string } }

/** @returns null where the answer did not come in full, or is of somebody between */
async function readAnswer(answer: Response | null): Promise<Told | null> {
  return answer === null ? null : await (answer.json() as Promise<Told>).catch(() => null)
}

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
