// The time filter that lists share.

import { fail } from '../../errors.ts'
import { isWritable } from '../../values/time.ts'
import { isoTime } from './schema.ts'
import { Type } from './type.ts'

export const timeRange = { createdAfter: Type.Optional(isoTime), createdBefore: Type.Optional(isoTime) }

/** @throws ApiError `invalid_query` for a leap second, or a time before the year 1 or after 9999 */
export function timeRangeOf(query: { createdAfter?: string; createdBefore?: string }): {
  createdAfter?: Date
  createdBefore?: Date
} {
  return {
    ...(query.createdAfter === undefined ? {} : { createdAfter: timeOf('createdAfter', query.createdAfter) }),
    ...(query.createdBefore === undefined ? {} : { createdBefore: timeOf('createdBefore', query.createdBefore) }),
  }
}

type ListQuery = { limit: number; cursor?: string; createdAfter?: string; createdBefore?: string }

/**
 * Reads the filters of a list's query: all of its members but those that make the page, with times as dates.
 * @throws ApiError `invalid_query`, as `timeRangeOf`
 */
export function filterOf<Q extends ListQuery>(
  query: Q,
): Omit<Q, keyof ListQuery> & { createdAfter?: Date; createdBefore?: Date } {
  const { limit: _limit, cursor: _cursor, createdAfter: _after, createdBefore: _before, ...filters } = query
  return { ...filters, ...timeRangeOf(query) }
}

function timeOf(param: keyof typeof timeRange, text: string): Date {
  const time = new Date(text)
  if (isWritable(time)) return time
  const message = `${param} must be a time from the year 1 to 9999, without a leap second.`
  throw fail('invalid_query', { message, details: [{ param, code: 'invalid_value', message }] })
}
