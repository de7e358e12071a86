// The outcomes of the latest real writes: a probe may succeed on a path that the work does not take. On a full disk a small
// record still fits into the log, while a row needs a new page of its table.

/** So few successes among refusals change nothing: on a full disk a row finds room now and then. */
const countedMax = 32
/** An outcome that is older says nothing of the present: without traffic there are no outcomes. */
const freshMs = 10_000
/** Most writes are refused for this long before the process is not ready. */
const refusedMsMax = 5_000

export class WriteOutcomes {
  readonly #refused: boolean[] = []
  #next = 0
  #refusals = 0
  #notedAtMs = Number.NEGATIVE_INFINITY
  #mostlyRefusedSinceMs: number | null = null

  note(isRefused: boolean, nowMs: number): void {
    if (nowMs - this.#notedAtMs > freshMs) this.#forget()
    this.#notedAtMs = nowMs
    if (this.#refused[this.#next]) this.#refusals -= 1
    if (isRefused) this.#refusals += 1
    this.#refused[this.#next] = isRefused
    this.#next = (this.#next + 1) % countedMax
    if (this.#refusals * 2 <= this.#refused.length) this.#mostlyRefusedSinceMs = null
    else this.#mostlyRefusedSinceMs ??= nowMs
  }

  /** Whether most of the latest writes were refused, for long enough to count. */
  areRefused(nowMs: number): boolean {
    const sinceMs = this.#mostlyRefusedSinceMs
    return sinceMs !== null && nowMs - this.#notedAtMs <= freshMs && nowMs - sinceMs > refusedMsMax
  }

  #forget(): void {
    this.#refused.length = 0
    this.#next = 0
    this.#refusals = 0
    this.#mostlyRefusedSinceMs = null
  }
}
