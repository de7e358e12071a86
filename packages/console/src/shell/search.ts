// Readers of the query parameters of a URL. Users may type them, so invalid values are ignored.

type Reader<Value> = (given: unknown) => Value | undefined

/** The values read; undefined if invalid. */
export type SearchOf<Readers extends Record<string, Reader<unknown>>> = {
  [Name in keyof Readers]?: ReturnType<Readers[Name]>
}

/**
 * Creates the `validateSearch` of a route. Invalid values become `undefined` rather than being removed: the router
 * would otherwise keep the raw value from the URL. `present` removes them.
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
