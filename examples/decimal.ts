// Money is text on the wire and whole numbers in here: no float ever touches it.

export class Decimal {
  readonly #units: bigint
  readonly #scale: number // the value is units / 10 ** scale

  private constructor(units: bigint, scale: number) {
    this.#units = units
    this.#scale = scale
  }

  static of(text: string | null): Decimal {
    const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text ?? '') ?? []
    if (whole === undefined) throw new Error(`not a decimal: ${text}`)
    return new Decimal(BigInt(`${sign}${whole}${fraction}`), fraction.length)
  }

  minus(other: Decimal): Decimal {
    const scale = Math.max(this.#scale, other.#scale)
    return new Decimal(this.#unitsAt(scale) - other.#unitsAt(scale), scale)
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.#units * other.#units, this.#scale + other.#scale)
  }

  percent(percent: Decimal): Decimal {
    const product = this.times(percent)
    return new Decimal(product.#units, product.#scale + 2)
  }

  /** By value: `1000.10` and `1000.1` are the same money. */
  equals(other: Decimal): boolean {
    const scale = Math.max(this.#scale, other.#scale)
    return this.#unitsAt(scale) === other.#unitsAt(scale)
  }

  /** Apart by less than one unit of the last of these places. */
  isNear(other: Decimal, places: number): boolean {
    const difference = this.minus(other)
    const units = difference.#units < 0n ? -difference.#units : difference.#units
    return units * 10n ** BigInt(places) < 10n ** BigInt(difference.#scale)
  }

  toString(): string {
    const digits = String(this.#units < 0n ? -this.#units : this.#units).padStart(this.#scale + 1, '0')
    const point = digits.length - this.#scale
    const fraction = digits.slice(point).replace(/0+$/, '')
    return `${this.#units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction && `.${fraction}`}`
  }

  #unitsAt(scale: number): bigint {
    return this.#units * 10n ** BigInt(scale - this.#scale)
  }
}
