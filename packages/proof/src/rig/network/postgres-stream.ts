// Reads the messages of a PostgreSQL client: enough of the protocol to detect a COMMIT, and the transaction that it ends.

export type FrontendMessage = {
  bytes: Buffer
  /** The texts of the transaction's statements, when this is its COMMIT. */
  commits: readonly string[] | null
}

const sslRequest = 80877103
const startupCodes = new Set([sslRequest, 80877104, 80877102]) // SSL, GSS, cancel: no start of a session

export class FrontendStream {
  #rest: Buffer = Buffer.alloc(0)
  #isStarted = false
  readonly #prepared = new Map<string, string>()
  #transaction: string[] = []

  /** @returns the messages that are complete now, in order; an incomplete message waits for its end */
  take(chunk: Buffer): FrontendMessage[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: FrontendMessage[] = []
    for (let length = this.#nextLength(); length !== null; length = this.#nextLength()) {
      const bytes = this.#rest.subarray(0, length)
      this.#rest = this.#rest.subarray(length)
      messages.push({ bytes, commits: this.#read(bytes) })
    }
    return messages
  }

  /** A session's first message has no type byte. */
  #nextLength(): number | null {
    const head = this.#isStarted ? 1 : 0
    if (this.#rest.length < head + 4) return null
    const length = head + this.#rest.readUInt32BE(head)
    return this.#rest.length < length ? null : length
  }

  #read(bytes: Buffer): readonly string[] | null {
    if (!this.#isStarted) {
      this.#isStarted = !startupCodes.has(bytes.readUInt32BE(4))
      return null
    }
    const statement = this.#statementOf(bytes)
    if (statement === null) return null
    const word = statement.trim().replace(/;$/, '').toLowerCase()
    if (word === 'begin' || word.startsWith('begin ')) this.#transaction = []
    if (word !== 'commit') {
      this.#transaction.push(statement)
      return null
    }
    const ended = this.#transaction
    this.#transaction = []
    return ended
  }

  /** The statement that this message executes: a simple query, or the binding of a prepared statement. */
  #statementOf(bytes: Buffer): string | null {
    const [first = '', second = ''] = bytes.subarray(5).toString('latin1').split('\0', 2)
    switch (String.fromCharCode(bytes[0] ?? 0)) {
      case 'Q':
        return first
      case 'P':
        this.#prepared.set(first, second)
        return null
      case 'B':
        return this.#prepared.get(second) ?? ''
      default:
        return null
    }
  }
}
