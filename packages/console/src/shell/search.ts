// What an address says behind its question mark. It may be typed by hand: what does not fit falls to nothing.

type Reader<Value> = (given: unknown) => Value | undefined

/** What was read; undefined where nothing fits. */
export type SearchOf<Readers extends Record<string, Reader<unknown>>> = {
  [Name in keyof Readers]?: ReturnType<Readers[Name]>
}

/**
 * Makes the `validateSearch` of a route. What does not fit is undefined, not absent: of an absent member the router would go on
 * with what was typed. `present` leaves it out.
 */
export function searchOf<Readers extends Record<string, Reader<unknown>>>(readers: Readers) {
  return (search: Record<string, unknown>): SearchOf<Readers> => {
    const read: SearchOf<Readers> = {}
    for (const name in readers) Object.assign(read, { [name]: readers[name]?.(search[name]) })
    return read
  }
}

/** A text. The router reads one that looks like a number as a number. */
export function text(lengthMax = 256): Reader<string> {
  return (given) => {
    const value = typeof given === 'number' ? String(given) : given
    return typeof value === 'string' && value !== '' && value.length <= lengthMax ? value : undefined
  }
}

export function oneOf<const Value extends string>(values: readonly Value[]): Reader<Value> {
  return (given) => values.find((value) => value === given)
}

/** A time in ISO 8601. */
export const time: Reader<string> = (given) =>
  typeof given === 'string' && /^\d{4}-\d\d-\d\dT/.test(given) && !Number.isNaN(Date.parse(given)) ? given : undefined

/** Cursors are opaque: as the server gave them out. */
export const cursor = text(512)
