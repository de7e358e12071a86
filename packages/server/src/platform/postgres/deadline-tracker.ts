// How long anyone waits for the database. A host that lost its power answers nothing, not even that, until the system
// gives the connection up after minutes: so every wait has an end here.

type Wait = { endIn(ms: number): void }

export class Patience {
  #limitMs: number
  readonly #failure: () => Error
  readonly #waits = new Set<Wait>()

  /** @param failure what is thrown at whoever waited too long */
  constructor(limitMs: number, failure: () => Error) {
    this.#limitMs = limitMs
    this.#failure = failure
  }

  /** From now on nobody waits longer than this, whoever waits already included. */
  shorten(limitMs: number): void {
    this.#limitMs = Math.min(this.#limitMs, limitMs)
    for (const wait of this.#waits) wait.endIn(this.#limitMs)
  }

  /** `inTime` ends the wait early, and says whether it was still on: then `work` may take as long as it needs. */
  async bound<T>(work: (inTime: () => boolean) => Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    let isLate = false
    let timer: NodeJS.Timeout | undefined
    const giveUp = () => {
      isLate = true
      late.reject(this.#failure())
    }
    const wait: Wait = {
      endIn(ms) {
        clearTimeout(timer)
        timer = setTimeout(giveUp, ms)
      },
    }
    const end = () => {
      clearTimeout(timer)
      this.#waits.delete(wait)
    }
    const inTime = () => {
      end()
      return !isLate
    }
    wait.endIn(this.#limitMs)
    this.#waits.add(wait)
    return await Promise.race([work(inTime), late.promise]).finally(end)
  }
}
