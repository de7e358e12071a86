// The base class of all errors of this package. `instanceof` compares a brand instead of the prototype: a program that loads the
// package as ESM and as CommonJS has each class twice.

const brands = Symbol.for('causeway.error')

export class CausewayError extends Error {
  static readonly brand: string = 'CausewayError'
  /** The error code, in lower_snake_case. Never changes. */
  readonly code: string

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
    this.name = new.target.brand
    Object.defineProperty(this, brands, { value: brandsOf(new.target) })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class on the right of instanceof, which may be a derived one
    return isInstance(this, value)
  }
}

function isInstance(asked: typeof CausewayError, value: unknown): boolean {
  // A subclass that a program defines has no own brand.
  if (!Object.hasOwn(asked, 'brand')) return Function.prototype[Symbol.hasInstance].call(asked, value)
  return typeof value === 'object' && value !== null && (value as Branded)[brands]?.includes(asked.brand) === true
}

type Branded = { readonly [brands]?: readonly string[] }
type BrandedClass = { readonly brand?: string }

function brandsOf(target: BrandedClass): readonly string[] {
  const names: string[] = []
  for (let at: BrandedClass | null = target; at?.brand !== undefined; at = Object.getPrototypeOf(at))
    names.push(at.brand)
  return names
}
