// Query parameters, and Bridge's pagination by object ids: `starting_after` and `ending_before`.
import { invalidParameters } from '../../platform/errors.ts'
import type { Query } from '../../platform/operations.ts'

export type Page<Row> = { count: number; data: Row[] }

const limitDefault = 10
const limitMax = 100

/**
 * Returns one page of `rows`, which are in the order of the list.
 * @throws Refusal `invalid_parameters` for a bad limit, an unknown id, or both cursors at once
 */
export const paginate = <Row extends { id: string }>(
  rows: Row[],
  query: Query,
  bounds = { default: limitDefault, max: limitMax },
): Page<Row> => {
  const limit = limitOf(query, bounds)
  const after = single(query, 'starting_after')
  const before = single(query, 'ending_before')
  if (after !== undefined && before !== undefined) {
    throw invalidParameters('query', { ending_before: 'cannot be combined with starting_after' })
  }
  const data =
    before === undefined
      ? rows.slice(after === undefined ? 0 : indexOf(rows, 'starting_after', after) + 1).slice(0, limit)
      : rows.slice(0, indexOf(rows, 'ending_before', before)).slice(-limit)
  return { count: data.length, data }
}

export const mapPage = <Row, Shown>(page: Page<Row>, show: (row: Row) => Shown): Page<Shown> => ({
  count: page.count,
  data: page.data.map(show),
})

/** Returns a query parameter that may be given once. */
export const single = (query: Query, name: string): string | undefined => {
  const value = query[name]
  if (Array.isArray(value)) throw invalidParameters('query', { [name]: 'must be given once' })
  return value
}

/** Returns the values of a query parameter that may be repeated: `name=a&name=b` or `name[]=a`. */
export const several = (query: Query, name: string): string[] => [query[name] ?? [], query[`${name}[]`] ?? []].flat()

/** Returns a query parameter that is one of `names`. */
export const choice = <const Name extends string>(
  query: Query,
  name: string,
  names: readonly Name[],
): Name | undefined => {
  const value = single(query, name)
  const chosen = names.find((known) => known === value)
  if (value !== undefined && chosen === undefined) throw invalidParameters('query', { [name]: 'Not supported' })
  return chosen
}

const limitOf = (query: Query, bounds: { default: number; max: number }): number => {
  const value = single(query, 'limit')
  if (value === undefined) return bounds.default
  const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0
  if (limit < 1 || limit > bounds.max) {
    throw invalidParameters('query', { limit: `must be an integer from 1 to ${bounds.max}` })
  }
  return limit
}

const indexOf = (rows: { id: string }[], name: string, id: string): number => {
  const index = rows.findIndex((row) => row.id === id)
  if (index < 0) throw invalidParameters('query', { [name]: 'Unknown id' })
  return index
}
