// The time filter that lists share.

import { Type } from 'typebox'
import { isoTime } from './schema.ts'

export const timeRange = { createdAfter: Type.Optional(isoTime), createdBefore: Type.Optional(isoTime) }

export function timeRangeOf(query: { createdAfter?: string; createdBefore?: string }): {
  createdAfter?: Date
  createdBefore?: Date
} {
  return {
    ...(query.createdAfter === undefined ? {} : { createdAfter: new Date(query.createdAfter) }),
    ...(query.createdBefore === undefined ? {} : { createdBefore: new Date(query.createdBefore) }),
  }
}
